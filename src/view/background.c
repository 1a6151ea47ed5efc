#include "view/background.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static _Noreturn void wait_in_parent(int fd, pid_t child)
{
	char byte;
	int status = 0;
	ssize_t n;

	do
		n = read(fd, &byte, 1);
	while (n < 0 && errno == EINTR);
	if (n == 1)
		_exit(EXIT_SUCCESS);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status))
		_exit(WEXITSTATUS(status) ? WEXITSTATUS(status) : EXIT_FAILURE);
	fprintf(stderr, "sendfs: ended by signal %d before anything was mounted\n",
		WTERMSIG(status));
	_exit(EXIT_FAILURE);
}

int background_begin(void)
{
	int ends[2];
	pid_t child;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	child = fork();
	if (child < 0) {
		const int r = -errno;

		close(ends[0]);
		close(ends[1]);
		return r;
	}
	if (child > 0) {
		close(ends[1]);
		wait_in_parent(ends[0], child);
	}
	close(ends[0]);
	return ends[1];
}

void background_ready(int fd)
{
	const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	const char byte = 0;
	ssize_t n;

	setsid();
	if (chdir("/") < 0)
		perror("sendfs: /");
	for (int standard = 0; null >= 0 && standard <= 2; standard++)
		dup2(null, standard);
	if (null > 2)
		close(null);
	n = write(fd, &byte, 1);
	(void)n; /* a parent that has gone does not mind */
	close(fd);
}
