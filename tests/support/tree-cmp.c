/*
 * Compares two directory trees:  tree-cmp [--no-top-times] A B
 *
 * Names, types, modes, owners, sizes, device numbers, link counts and which
 * names are one file, atime and mtime, symlink targets, xattrs, contents.
 * Nested subvolumes are left out.  A line for each difference; status 1 if
 * there is any.  --no-top-times: A and B themselves may differ in theirs.
 */
#include "base/autofd.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { SUBVOLUME_ROOT = 256, SUBVOLUME_PLACE = 2 };

static unsigned n_differences;
static bool no_top_times;
static GHashTable *partners; /* inode number in A -> in B */

static void differs(const char *path, const char *what)
{
	n_differences++;
	printf("%s: %s\n", *path ? path : ".", what);
}

static GString *read_link(int dir, const char *path)
{
	GString *target = g_string_sized_new(PATH_MAX);
	ssize_t n = readlinkat(dir, path, target->str, PATH_MAX);

	g_string_set_size(target, n < 0 ? 0 : (gsize)n);
	return target;
}

static int by_text(gconstpointer a, gconstpointer b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Lines "name=value in hex", sorted. */
static char *read_xattrs(const char *path)
{
	g_autofree char *names = g_malloc0(1 << 16), *value = g_malloc(1 << 16);
	g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free);
	ssize_t len = llistxattr(path, names, 1 << 16);

	for (char *name = names; name < names + MAX(len, 0); name += strlen(name) + 1) {
		ssize_t n = lgetxattr(path, name, value, 1 << 16);
		GString *line = g_string_new(name);

		for (ssize_t i = 0; i < n; i++)
			g_string_append_printf(line, "%s%02x", i ? "" : "=", (guint8)value[i]);
		g_ptr_array_add(lines, g_string_free(line, FALSE));
	}
	g_ptr_array_sort(lines, by_text);
	g_ptr_array_add(lines, NULL);
	return g_strjoinv("\n", (char **)lines->pdata);
}

static bool same_content(int a, int b)
{
	static char data_a[1 << 16], data_b[1 << 16];
	ssize_t n;

	if (a < 0 || b < 0)
		return false;
	do {
		n = read(a, data_a, sizeof(data_a));
		if (read(b, data_b, sizeof(data_b)) != n || n < 0 ||
		    memcmp(data_a, data_b, (size_t)n) != 0)
			return false;
	} while (n > 0);
	return true;
}

static bool same_time(struct timespec a, struct timespec b)
{
	return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

static void compare_times(const char *path, const struct stat *a, const struct stat *b)
{
	if (!*path && no_top_times)
		return;
	if (!same_time(a->st_mtim, b->st_mtim))
		differs(path, "mtime");
	if (!same_time(a->st_atim, b->st_atim))
		differs(path, "atime");
}

static void compare_stat(const char *path, const struct stat *a, const struct stat *b)
{
	gpointer partner;

	if (a->st_mode != b->st_mode)
		differs(path, "mode");
	if (a->st_uid != b->st_uid || a->st_gid != b->st_gid)
		differs(path, "owner");
	if (!S_ISDIR(a->st_mode) && a->st_size != b->st_size)
		differs(path, "size");
	if (a->st_rdev != b->st_rdev)
		differs(path, "device number");
	if (a->st_nlink != b->st_nlink)
		differs(path, "link count");
	compare_times(path, a, b);
	if (!g_hash_table_lookup_extended(partners, (gpointer)(uintptr_t)a->st_ino, NULL, &partner))
		g_hash_table_insert(partners, (gpointer)(uintptr_t)a->st_ino,
				    (gpointer)(uintptr_t)b->st_ino);
	else if ((uintptr_t)partner != b->st_ino)
		differs(path, "not the same file as another name");
}

static bool is_subvolume(int dir, const char *name)
{
	struct stat st;

	return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode) &&
	       (st.st_ino == SUBVOLUME_ROOT || st.st_ino == SUBVOLUME_PLACE);
}

/* Sorted, without nested subvolumes. */
static GPtrArray *read_names(const char *path)
{
	GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
	DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
		    !is_subvolume(dirfd(dir), entry->d_name))
			g_ptr_array_add(names, g_strdup(entry->d_name));
	if (dir)
		closedir(dir);
	g_ptr_array_sort(names, by_text);
	return names;
}

static void compare(const char *top_a, const char *top_b, const char *path);

static void compare_entries(const char *top_a, const char *top_b, const char *path)
{
	g_autofree char *dir_a = g_strconcat(top_a, "/", path, NULL);
	g_autofree char *dir_b = g_strconcat(top_b, "/", path, NULL);
	g_autoptr(GPtrArray) a = read_names(dir_a), b = read_names(dir_b);

	for (guint i = 0, j = 0; i < a->len || j < b->len;) {
		const int order = i == a->len	? 1
				  : j == b->len ? -1
						: strcmp(a->pdata[i], b->pdata[j]);
		g_autofree char *child = g_strconcat(path, *path ? "/" : "",
						     order <= 0 ? a->pdata[i] : b->pdata[j], NULL);

		if (order)
			differs(child, order < 0 ? "only in the first" : "only in the second");
		else
			compare(top_a, top_b, child);
		i += order <= 0;
		j += order >= 0;
	}
}

static void compare(const char *top_a, const char *top_b, const char *path)
{
	g_autofree char *path_a = g_strconcat(top_a, "/", path, NULL);
	g_autofree char *path_b = g_strconcat(top_b, "/", path, NULL);
	g_autofree char *xattrs_a = read_xattrs(path_a), *xattrs_b = read_xattrs(path_b);
	struct stat a, b;

	if (lstat(path_a, &a) < 0 || lstat(path_b, &b) < 0)
		return differs(path, strerror(errno));
	compare_stat(path, &a, &b);
	if (!g_str_equal(xattrs_a, xattrs_b))
		differs(path, "xattrs");
	if ((a.st_mode & S_IFMT) != (b.st_mode & S_IFMT))
		return;
	if (S_ISDIR(a.st_mode)) {
		compare_entries(top_a, top_b, path);
	} else if (S_ISLNK(a.st_mode)) {
		GString *target_a = read_link(AT_FDCWD, path_a), *target_b = read_link(AT_FDCWD, path_b);

		if (!g_string_equal(target_a, target_b))
			differs(path, "target");
		g_string_free(target_a, TRUE);
		g_string_free(target_b, TRUE);
	} else if (S_ISREG(a.st_mode)) {
		AUTOFD int fd_a = open(path_a, O_RDONLY | O_NOATIME | O_CLOEXEC);
		AUTOFD int fd_b = open(path_b, O_RDONLY | O_NOATIME | O_CLOEXEC);

		if (!same_content(fd_a, fd_b))
			differs(path, "content");
	}
}

int main(int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[1], "--no-top-times") == 0) {
		no_top_times = true;
		argv++;
	} else if (argc != 3) {
		fprintf(stderr, "usage: tree-cmp [--no-top-times] A B\n");
		return 2;
	}
	partners = g_hash_table_new(NULL, NULL);
	compare(argv[1], argv[2], "");
	g_hash_table_unref(partners);
	return n_differences > 0;
}
