/*
 * Uses files in the ways that the shell has no words for.  Says what is wrong
 * on stderr; status 1 then.
 *
 *   random FILE COPY N SEED   N reads at random places equal those of COPY
 *   readers FILE COPY N       N threads read all of FILE at once
 *   mmap FILE COPY            a mapping of FILE, without asking for its size
 *   splice FILE               to stdout, without asking for its size
 *   seek FILE                 SEEK_DATA, SEEK_HOLE and the error behind the end
 *   readdir DIR               telldir() and seekdir(), d_ino and d_type
 *   hold FILE                 opens, says "open", reads all after a line on stdin
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ_MOST (300u * 1024)

static const char *file_name;

static _Noreturn void fail(const char *what)
{
	fprintf(stderr, "%s: %s: %s\n", file_name, what, errno ? strerror(errno) : "wrong");
	exit(1);
}

static int open_or_fail(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		fail(path);
	return fd;
}

static uint8_t *map(const char *path, size_t len)
{
	const int fd = open_or_fail(path);
	void *at = mmap(NULL, len, PROT_READ, MAP_SHARED, fd, 0);

	if (at == MAP_FAILED)
		fail("mmap");
	close(fd);
	return at;
}

static size_t size_of(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		fail(path);
	return (size_t)st.st_size;
}

/* --- reads --- */

struct check {
	const char *path;
	const uint8_t *copy;
	size_t size;
	size_t step;
};

static void check_at(int fd, const struct check *check, size_t offset, size_t len, uint8_t *buffer)
{
	const size_t expected = offset < check->size ? check->size - offset : 0;
	ssize_t got;

	errno = 0;
	got = pread(fd, buffer, len, (off_t)offset);
	if (got < 0)
		fail("read");
	if ((size_t)got != (len < expected ? len : expected) ||
	    memcmp(buffer, check->copy + offset, (size_t)got) != 0) {
		fprintf(stderr, "%zu bytes at %zu: got %zd\n", len, offset, got);
		fail("read");
	}
}

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void do_random(const struct check *check, unsigned n, uint64_t seed)
{
	const int fd = open_or_fail(check->path);
	uint8_t *buffer = malloc(READ_MOST);
	uint64_t state = seed * 2 + 1;

	for (unsigned i = 0; i < n && buffer; i++) {
		const size_t offset = next_random(&state) % (check->size + 1);
		const size_t most = i % 4 ? READ_MOST : 64;

		check_at(fd, check, offset, 1 + next_random(&state) % most, buffer);
	}
	free(buffer);
	close(fd);
}

static void *read_all(void *arg)
{
	const struct check *check = arg;
	const int fd = open_or_fail(check->path);
	uint8_t *buffer = malloc(check->step);

	for (size_t at = 0; at <= check->size && buffer; at += check->step)
		check_at(fd, check, at, check->step, buffer);
	free(buffer);
	close(fd);
	return NULL;
}

static void do_readers(const struct check *check, unsigned n)
{
	pthread_t *threads = calloc(n, sizeof(*threads));
	struct check *each = calloc(n, sizeof(*each));

	if (!threads || !each)
		fail("memory");
	for (unsigned i = 0; i < n; i++) {
		each[i] = *check;
		each[i].step = 4096u + i * 12345u;
		if (pthread_create(&threads[i], NULL, read_all, &each[i]) != 0)
			fail("thread");
	}
	for (unsigned i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	free(threads);
	free(each);
}

static void do_mmap(const struct check *check)
{
	const uint8_t *at = map(check->path, check->size);

	errno = 0;
	if (memcmp(at, check->copy, check->size) != 0)
		fail("mmap");
}

static void do_splice(const char *path)
{
	const int fd = open_or_fail(path);
	ssize_t n;

	while ((n = sendfile(STDOUT_FILENO, fd, NULL, 1 << 20)) > 0)
		;
	if (n < 0)
		fail("sendfile");
	close(fd);
}

static void do_seek(const char *path)
{
	const int fd = open_or_fail(path);
	const off_t size = lseek(fd, 0, SEEK_END);

	errno = 0;
	if (lseek(fd, 0, SEEK_DATA) != 0 || lseek(fd, size / 2, SEEK_DATA) != size / 2)
		fail("SEEK_DATA");
	if (lseek(fd, 0, SEEK_HOLE) != size || lseek(fd, size - 1, SEEK_HOLE) != size)
		fail("SEEK_HOLE");
	if (lseek(fd, size, SEEK_DATA) != -1 || errno != ENXIO)
		fail("SEEK_DATA at the end");
	if (lseek(fd, size + 5, SEEK_HOLE) != -1 || errno != ENXIO)
		fail("SEEK_HOLE behind the end");
	close(fd);
}

static void do_hold(const char *path)
{
	const int fd = open_or_fail(path);
	char buffer[65536];
	ssize_t n;

	puts("open");
	fflush(stdout);
	if (!fgets(buffer, sizeof(buffer), stdin))
		fail("stdin");
	errno = 0;
	while ((n = read(fd, buffer, sizeof(buffer))) > 0)
		fwrite(buffer, 1, (size_t)n, stdout);
	if (n < 0)
		fail("read");
	close(fd);
}

/* --- directories --- */

#define ENTRIES_MOST 4096

struct entry {
	long at;
	char name[256];
};

static void check_entry(DIR *dir, const struct dirent *entry)
{
	struct stat st;

	errno = 0;
	if (strcmp(entry->d_name, "..") == 0)
		return; /* of the root it is another file system's */
	if (fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		fail(entry->d_name);
	if (entry->d_ino == 0 || entry->d_ino != st.st_ino || entry->d_type != IFTODT(st.st_mode))
		fail(entry->d_name);
}

static void do_readdir(const char *path)
{
	struct entry *entries = calloc(ENTRIES_MOST, sizeof(*entries));
	DIR *dir = opendir(path);
	const struct dirent *entry;
	size_t n = 0;

	if (!dir || !entries)
		fail("opendir");
	do {
		entries[n].at = telldir(dir);
		entry = readdir(dir);
		if (!entry)
			break;
		check_entry(dir, entry);
		snprintf(entries[n].name, sizeof(entries[n].name), "%s", entry->d_name);
		printf("%s\n", entry->d_name);
	} while (++n < ENTRIES_MOST);
	for (size_t i = n; i > 0; i--) {
		seekdir(dir, entries[i - 1].at);
		entry = readdir(dir);
		errno = 0;
		if (!entry || strcmp(entry->d_name, entries[i - 1].name) != 0)
			fail("seekdir");
	}
	closedir(dir);
	free(entries);
}

int main(int argc, char **argv)
{
	const char *verb = argc > 2 ? argv[1] : "";
	struct check check = { 0 };
	const char *number = argc > 4 ? argv[4] : "8";

	file_name = argc > 2 ? argv[2] : "file-probe";
	check.path = file_name;
	if (argc > 3) {
		check.size = size_of(argv[3]);
		check.copy = map(argv[3], check.size);
	}
	if (strcmp(verb, "random") == 0 && argc == 6)
		do_random(&check, (unsigned)atoi(number), strtoull(argv[5], NULL, 10));
	else if (strcmp(verb, "readers") == 0 && argc == 5)
		do_readers(&check, (unsigned)atoi(number));
	else if (strcmp(verb, "mmap") == 0 && argc == 4)
		do_mmap(&check);
	else if (strcmp(verb, "splice") == 0)
		do_splice(file_name);
	else if (strcmp(verb, "seek") == 0)
		do_seek(file_name);
	else if (strcmp(verb, "hold") == 0)
		do_hold(file_name);
	else if (strcmp(verb, "readdir") == 0)
		do_readdir(file_name);
	else
		fail("usage");
	return 0;
}
