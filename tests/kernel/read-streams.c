/*
 * Usage: read-streams VIEW COPIES REFERENCES NAME...
 *
 * Copies VIEW/NAME/stream (of NAME@VARIANT, VIEW/NAME/stream-VARIANT) to
 * COPIES/NAME; where it cannot be read, says why in
 * COPIES/NAME.failed.  Prints a line for each of those that can be read and
 * has another size than its bytes, differs in a second read, or from
 * REFERENCES/NAME.  One process for all: it is run some thousand times.
 */
#include "base/autofd.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct names {
	const char *name;
	char *stream, *copy, *failed, *reference;
};

static void note_failure(const struct names *names, const char *what, int error)
{
	g_autofree char *text = g_strdup_printf("%s: %s\n", what, g_strerror(error));

	if (!g_file_set_contents(names->failed, text, -1, NULL))
		printf("%s: cannot write %s\n", names->name, names->failed);
}

static ssize_t read_full(int fd, char *buffer, size_t len)
{
	size_t done = 0;

	while (done < len) {
		const ssize_t n = read(fd, buffer + done, len - done);

		if (n < 0)
			return -1;
		if (n == 0)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

/* Whether all of it could be read. */
static bool copy_stream(const struct names *names)
{
	static char buffer[1 << 17];
	AUTOFD int from = open(names->stream, O_RDONLY | O_CLOEXEC);
	AUTOFD int to = -1;
	struct stat st;
	ssize_t n;
	off_t size = 0;

	if (from < 0)
		return note_failure(names, "open", errno), false;
	if (stat(names->stream, &st) < 0)
		return note_failure(names, "stat", errno), false;
	to = open(names->copy, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (to < 0)
		return note_failure(names, names->copy, errno), false;
	while ((n = read(from, buffer, sizeof(buffer))) > 0) {
		if (write(to, buffer, (size_t)n) != n)
			return note_failure(names, names->copy, errno), false;
		size += n;
	}
	if (n < 0)
		return note_failure(names, "read", errno), false;
	if (st.st_size != size)
		printf("%s: stat says %ld bytes, %ld can be read\n", names->name, (long)st.st_size,
		       (long)size);
	return true;
}

/* The offset of the first difference, -1 without one, or -errno - 1. */
static off_t first_difference(const char *one, const char *other)
{
	static char buffers[2][1 << 17];
	AUTOFD int a = open(one, O_RDONLY | O_CLOEXEC);
	AUTOFD int b = open(other, O_RDONLY | O_CLOEXEC);
	off_t offset = 0;

	if (a < 0 || b < 0)
		return -errno - 1;
	for (;;) {
		const ssize_t n = read_full(a, buffers[0], sizeof(buffers[0]));
		const ssize_t m = read_full(b, buffers[1], sizeof(buffers[1]));

		if (n < 0 || m < 0)
			return -errno - 1;
		for (ssize_t i = 0; i < MIN(n, m); i++)
			if (buffers[0][i] != buffers[1][i])
				return offset + i;
		if (n != m)
			return offset + MIN(n, m);
		if (n == 0)
			return -1;
		offset += n;
	}
}

static void compare(const struct names *names, const char *what, const char *other)
{
	const off_t offset = first_difference(names->copy, other);

	if (offset >= 0)
		printf("%s: %s from byte %ld on\n", names->name, what, (long)offset);
	else if (offset < -1)
		printf("%s: %s: %s\n", names->name, what, g_strerror((int)(-offset - 1)));
}

/* The file in the view. */
static char *stream_path(const char *view, const char *name)
{
	const char *at = strchr(name, '@');

	if (!at)
		return g_strdup_printf("%s/%s/stream", view, name);
	return g_strdup_printf("%s/%.*s/stream-%s", view, (int)(at - name), name, at + 1);
}

int main(int argc, char **argv)
{
	if (argc < 5) {
		fprintf(stderr, "usage: read-streams VIEW COPIES REFERENCES NAME...\n");
		return 2;
	}
	for (int i = 4; i < argc; i++) {
		const struct names names = {
			.name = argv[i],
			.stream = stream_path(argv[1], argv[i]),
			.copy = g_strdup_printf("%s/%s", argv[2], argv[i]),
			.failed = g_strdup_printf("%s/%s.failed", argv[2], argv[i]),
			.reference = g_strdup_printf("%s/%s", argv[3], argv[i]),
		};

		unlink(names.copy);
		unlink(names.failed);
		if (!copy_stream(&names))
			continue;
		compare(&names, "a second read differs", names.stream);
		compare(&names, "differs from the kernel's", names.reference);
	}
	return 0;
}
