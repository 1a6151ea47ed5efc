/*
 * Makes the files of the bench quickly, in the current directory:
 *
 *	maker files PREFIX FIRST LAST LEN [PROCESSES]	LEN bytes each, 0: empty
 *	maker touch PREFIX FIRST LAST STEP LEN		overwrites the first LEN bytes
 *	maker move PREFIX FIRST LAST FROM TO		into another directory
 *	maker random FILE LEN				incompressible content
 *	maker extents FILE N LEN			N extents of LEN bytes, multiples of 4096
 *	maker copy FILE PREFIX FIRST LAST		reflinks of the file
 *	maker repeat FILE LEN N				its first LEN bytes N times, shared
 *	maker time COMMAND...				runs it; its seconds to descriptor 3
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_LEN = 1 << 20 };
static char content[MOST_LEN] __attribute__((aligned(4096)));

static void fail(const char *what)
{
	fprintf(stderr, "maker: %s: %s\n", what, strerror(errno));
	exit(1);
}

static unsigned long number(const char *text)
{
	return strtoul(text, NULL, 0);
}

static void write_file(const char *path, int flags, size_t len)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | flags, 0644);

	if (fd < 0 || (len && write(fd, content, len) != (ssize_t)len) || close(fd) < 0)
		fail(path);
}

static void make_range(const char *prefix, unsigned long first, unsigned long last, size_t len)
{
	char path[4096];

	for (unsigned long i = first; i <= last; i++) {
		snprintf(path, sizeof(path), "%s%lu", prefix, i);
		write_file(path, O_CREAT | O_EXCL, len);
	}
}

/* Each process makes one consecutive part. */
static void make_files(const char *prefix, unsigned long first, unsigned long last, size_t len,
		       unsigned long processes)
{
	const unsigned long part = (last - first) / processes + 1;
	int status;

	memset(content, 'a', len);
	for (unsigned long i = 0; i < processes; i++) {
		const unsigned long from = first + i * part;
		const unsigned long to = from + part - 1 < last ? from + part - 1 : last;

		if (fork() == 0) {
			make_range(prefix, from, to, len);
			_exit(0);
		}
	}
	while (wait(&status) > 0)
		if (status)
			exit(1);
}

static void touch_files(const char *prefix, unsigned long first, unsigned long last,
			unsigned long step, size_t len)
{
	char path[4096];

	memset(content, 'b', len);
	for (unsigned long i = first; i <= last; i += step) {
		snprintf(path, sizeof(path), "%s%lu", prefix, i);
		write_file(path, 0, len);
	}
}

static void move_files(const char *prefix, unsigned long first, unsigned long last,
		       const char *from, const char *to)
{
	char old[4096], new[4096];

	for (unsigned long i = first; i <= last; i++) {
		snprintf(old, sizeof(old), "%s/%s%lu", from, prefix, i);
		snprintf(new, sizeof(new), "%s/%s%lu", to, prefix, i);
		if (rename(old, new) < 0)
			fail(old);
	}
}

static void fill_random(void)
{
	static uint64_t state = 88172645463325252u;

	for (size_t i = 0; i + 8 <= MOST_LEN; i += 8) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		memcpy(content + i, &state, 8);
	}
}

/* Written past the page cache, so that every write is an extent. */
static void make_extents(const char *path, unsigned long n, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_DIRECT, 0644);

	if (fd < 0)
		fail(path);
	fill_random();
	for (; n > 0; n--)
		if (write(fd, content, len) != (ssize_t)len)
			fail(path);
	if (close(fd) < 0)
		fail(path);
}

static void copy_files(const char *from, const char *prefix, unsigned long first,
		       unsigned long last)
{
	int source = open(from, O_RDONLY | O_CLOEXEC);
	char path[4096];

	for (unsigned long i = first; i <= last; i++) {
		int fd;

		snprintf(path, sizeof(path), "%s%lu", prefix, i);
		fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
		if (source < 0 || fd < 0 || ioctl(fd, FICLONE, source) < 0 || close(fd) < 0)
			fail(path);
	}
	close(source);
}

static void repeat_extent(const char *path, size_t len, unsigned long n)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);

	for (unsigned long i = 1; i < n; i++) {
		struct file_clone_range range = { fd, 0, len, i * len };

		if (fd < 0 || ioctl(fd, FICLONERANGE, &range) < 0)
			fail(path);
	}
	if (close(fd) < 0)
		fail(path);
}

static void make_random(const char *path, uint64_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

	if (fd < 0)
		fail(path);
	while (len > 0) {
		const size_t now = len < MOST_LEN ? (size_t)len : MOST_LEN;

		fill_random();
		if (write(fd, content, now) != (ssize_t)now)
			fail(path);
		len -= now;
	}
	if (close(fd) < 0)
		fail(path);
}

static int run_timed(char **command)
{
	struct timespec begin, end;
	int status;
	pid_t child;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	child = fork();
	if (child == 0) {
		close(3);
		execvp(command[0], command);
		fail(command[0]);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0)
		fail(command[0]);
	clock_gettime(CLOCK_MONOTONIC, &end);
	dprintf(3, "%.4f\n", (double)(end.tv_sec - begin.tv_sec) +
				     1e-9 * (double)(end.tv_nsec - begin.tv_nsec));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (strcmp(what, "files") == 0 && (argc == 6 || argc == 7))
		make_files(argv[2], number(argv[3]), number(argv[4]), number(argv[5]) % MOST_LEN,
			   argc == 7 ? number(argv[6]) : 1);
	else if (strcmp(what, "touch") == 0 && argc == 7)
		touch_files(argv[2], number(argv[3]), number(argv[4]), number(argv[5]),
			    number(argv[6]) % MOST_LEN);
	else if (strcmp(what, "move") == 0 && argc == 7)
		move_files(argv[2], number(argv[3]), number(argv[4]), argv[5], argv[6]);
	else if (strcmp(what, "random") == 0 && argc == 4)
		make_random(argv[2], number(argv[3]));
	else if (strcmp(what, "extents") == 0 && argc == 5)
		make_extents(argv[2], number(argv[3]), number(argv[4]) % MOST_LEN);
	else if (strcmp(what, "copy") == 0 && argc == 6)
		copy_files(argv[2], argv[3], number(argv[4]), number(argv[5]));
	else if (strcmp(what, "repeat") == 0 && argc == 5)
		repeat_extent(argv[2], number(argv[3]), number(argv[4]));
	else if (strcmp(what, "time") == 0 && argc > 2)
		return run_timed(argv + 2);
	else {
		fprintf(stderr, "usage: maker files|touch|move|random|extents|copy|repeat|time ...\n");
		return 2;
	}
	return 0;
}
