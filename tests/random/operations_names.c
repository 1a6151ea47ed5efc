#include "session.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static int result(int r)
{
	return r < 0 ? -errno : 0;
}

static int run_mkfile(struct session *session, char **words)
{
	int fd = open(words[0], O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

	(void)session;
	return fd < 0 ? -errno : result(close(fd));
}

static int run_mkdir(struct session *session, char **words)
{
	(void)session;
	return result(mkdir(words[0], 0755));
}

static int run_symlink(struct session *session, char **words)
{
	(void)session;
	return result(symlink(words[1], words[0]));
}

static int run_mknod(struct session *session, char **words)
{
	static const struct {
		const char *word;
		mode_t mode;
	} types[] = { { "p", S_IFIFO }, { "s", S_IFSOCK }, { "c", S_IFCHR }, { "b", S_IFBLK } };

	(void)session;
	for (size_t i = 0; i < G_N_ELEMENTS(types); i++)
		if (g_str_equal(words[1], types[i].word))
			return result(mknod(words[0], types[i].mode | 0640,
					    makedev((unsigned)number(words[2]),
						    (unsigned)number(words[3]))));
	return -EINVAL;
}

static int run_unlink(struct session *session, char **words)
{
	(void)session;
	return result(unlink(words[0]));
}

static int run_rmdir(struct session *session, char **words)
{
	(void)session;
	return result(rmdir(words[0]));
}

static int run_rename(struct session *session, char **words)
{
	(void)session;
	return result(rename(words[0], words[1]));
}

static int run_exchange(struct session *session, char **words)
{
	(void)session;
	return result(renameat2(AT_FDCWD, words[0], AT_FDCWD, words[1], RENAME_EXCHANGE));
}

static int run_link(struct session *session, char **words)
{
	(void)session;
	return result(link(words[0], words[1]));
}

static int keep(struct session *session, const char *name, int fd)
{
	if (fd < 0)
		return -errno;
	g_hash_table_replace(session->held, g_strdup(name), GINT_TO_POINTER(fd));
	return 0;
}

static int held(struct session *session, const char *name)
{
	gpointer fd;

	return g_hash_table_lookup_extended(session->held, name, NULL, &fd) ? GPOINTER_TO_INT(fd)
									     : -ENOENT;
}

static int run_hold(struct session *session, char **words)
{
	struct stat st;

	if (lstat(words[0], &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || held(session, words[1]) >= 0)
		return -EINVAL;
	return keep(session, words[1], open(words[0], O_RDWR | O_NOFOLLOW | O_CLOEXEC));
}

static int run_tmpfile(struct session *session, char **words)
{
	if (held(session, words[1]) >= 0)
		return -EINVAL;
	return keep(session, words[1], open(words[0], O_RDWR | O_TMPFILE | O_CLOEXEC, 0600));
}

static int run_linkheld(struct session *session, char **words)
{
	int fd = held(session, words[0]);
	char path[64];

	if (fd < 0)
		return fd;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return result(linkat(AT_FDCWD, path, AT_FDCWD, words[1], AT_SYMLINK_FOLLOW));
}

static int run_writeheld(struct session *session, char **words)
{
	const size_t len = (size_t)number(words[2]);
	g_autofree unsigned char *data = g_malloc(len + 1);
	int fd = held(session, words[0]);

	if (fd < 0)
		return fd;
	fill(data, len, number(words[3]));
	return pwrite(fd, data, len, (off_t)number(words[1])) < 0 ? -errno : 0;
}

static int run_release(struct session *session, char **words)
{
	int fd = held(session, words[0]);

	if (fd < 0)
		return fd;
	g_hash_table_remove(session->held, words[0]);
	return result(close(fd));
}

const struct operation name_operations[] = {
	{ "mkfile", 1, run_mkfile },	 /* PATH */
	{ "mkdir", 1, run_mkdir },	 /* PATH */
	{ "symlink", 2, run_symlink },	 /* PATH TARGET */
	{ "mknod", 4, run_mknod },	 /* PATH p|s|c|b MAJOR MINOR */
	{ "unlink", 1, run_unlink },	 /* PATH */
	{ "rmdir", 1, run_rmdir },	 /* PATH */
	{ "rename", 2, run_rename },	 /* FROM TO */
	{ "exchange", 2, run_exchange }, /* A B */
	{ "link", 2, run_link },	 /* EXISTING NEW */
	{ "hold", 2, run_hold },	 /* PATH NAME: keeps the file open as NAME */
	{ "tmpfile", 2, run_tmpfile },	 /* DIR NAME: O_TMPFILE, kept open as NAME */
	{ "linkheld", 2, run_linkheld }, /* NAME PATH */
	{ "writeheld", 4, run_writeheld }, /* NAME OFFSET LEN SEED */
	{ "release", 1, run_release },	 /* NAME */
	{ NULL, 0, NULL },
};
