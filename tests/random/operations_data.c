#include "base/autofd.h"
#include "session.h"
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

static int result(int r)
{
	return r < 0 ? -errno : 0;
}

void fill(unsigned char *data, size_t len, guint64 seed)
{
	static const char text[] = "the same words again and again, ";
	guint64 state = seed * 0x9e3779b97f4a7c15u + 1;

	for (size_t i = 0; i < len; i++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		if (seed % 4 == 0)
			data[i] = (unsigned char)text[(i + seed / 4) % (sizeof(text) - 1)];
		else if (seed % 4 == 1 && i / 2048 % 2)
			data[i] = 0;
		else
			data[i] = (unsigned char)(state >> 32);
	}
}

/* Never opens a device or waits for a FIFO. */
static int open_regular(const char *path)
{
	struct stat st;
	int fd;

	if (lstat(path, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int run_write(struct session *session, char **words)
{
	const size_t len = (size_t)number(words[2]);
	g_autofree unsigned char *data = g_malloc(len + 1);
	AUTOFD int fd = open_regular(words[0]);

	(void)session;
	if (fd < 0)
		return fd;
	fill(data, len, number(words[3]));
	return pwrite(fd, data, len, (off_t)number(words[1])) < 0 ? -errno : 0;
}

static int run_truncate(struct session *session, char **words)
{
	AUTOFD int fd = open_regular(words[0]);

	(void)session;
	return fd < 0 ? fd : result(ftruncate(fd, (off_t)number(words[1])));
}

static int run_fallocate(struct session *session, char **words)
{
	static const struct {
		const char *word;
		int mode;
	} modes[] = {
		{ "grow", 0 },
		{ "keep", FALLOC_FL_KEEP_SIZE },
		{ "punch", FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE },
		{ "zero", FALLOC_FL_ZERO_RANGE },
		{ "zerokeep", FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE },
	};
	AUTOFD int fd = open_regular(words[0]);

	(void)session;
	if (fd < 0)
		return fd;
	for (size_t i = 0; i < G_N_ELEMENTS(modes); i++)
		if (g_str_equal(words[1], modes[i].word))
			return result(fallocate(fd, modes[i].mode, (off_t)number(words[2]),
						(off_t)number(words[3])));
	return -EINVAL;
}

/* The source may lie in a snapshot. */
static int open_source(const char *path)
{
	struct stat st;
	int fd;

	if (lstat(path, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int run_dedupe(struct session *session, char **words)
{
	g_autofree struct file_dedupe_range *range =
		g_malloc0(sizeof(*range) + sizeof(range->info[0]));
	AUTOFD int from = open_regular(words[0]);
	AUTOFD int to = open_regular(words[3]);

	(void)session;
	if (from < 0 || to < 0)
		return MIN(from, to);
	range->src_offset = number(words[1]);
	range->src_length = number(words[2]);
	range->dest_count = 1;
	range->info[0].dest_fd = to;
	range->info[0].dest_offset = number(words[4]);
	if (ioctl(from, FIDEDUPERANGE, range) < 0)
		return -errno;
	return range->info[0].status == FILE_DEDUPE_RANGE_DIFFERS ? -EBADE
								  : MIN(range->info[0].status, 0);
}

static int run_clone(struct session *session, char **words)
{
	AUTOFD int from = open_source(words[0]);
	AUTOFD int to = open_regular(words[3]);
	struct file_clone_range range = {
		.src_fd = from,
		.src_offset = number(words[1]),
		.src_length = number(words[2]),
		.dest_offset = number(words[4]),
	};

	(void)session;
	if (from < 0 || to < 0)
		return MIN(from, to);
	return result(ioctl(to, FICLONERANGE, &range));
}

static int run_fsync(struct session *session, char **words)
{
	AUTOFD int fd = open_regular(words[0]);

	(void)session;
	return fd < 0 ? fd : result(fsync(fd));
}

static int run_setxattr(struct session *session, char **words)
{
	const size_t len = (size_t)number(words[2]);
	g_autofree unsigned char *value = g_malloc(len + 1);

	(void)session;
	fill(value, len, number(words[3]));
	return result(lsetxattr(words[0], words[1], value, len, 0));
}

static int run_rmxattr(struct session *session, char **words)
{
	(void)session;
	return result(lremovexattr(words[0], words[1]));
}

static int run_compression(struct session *session, char **words)
{
	(void)session;
	return result(lsetxattr(words[0], "btrfs.compression", words[1], strlen(words[1]), 0));
}

static int run_setcap(struct session *session, char **words)
{
	struct vfs_cap_data cap = {
		.magic_etc = htole32(VFS_CAP_REVISION_2 | VFS_CAP_FLAGS_EFFECTIVE),
		.data[0].permitted = htole32((guint32)number(words[1])),
	};

	(void)session;
	return result(lsetxattr(words[0], "security.capability", &cap, XATTR_CAPS_SZ_2, 0));
}

static int run_acl(struct session *session, char **words)
{
	const guint16 perm = (guint16)(number(words[2]) & 7);
	const struct {
		guint32 version;
		struct {
			guint16 tag, perm;
			guint32 id;
		} entries[5];
	} acl = { 2,
		  { { 0x01, 6, ~0u },	/* owner */
		    { 0x02, perm, 1000 }, /* one more user */
		    { 0x04, 4, ~0u },	/* group */
		    { 0x10, 7, ~0u },	/* mask */
		    { 0x20, 4, ~0u } } }; /* others */
	g_autofree char *name = g_strconcat("system.posix_acl_", words[1], NULL);

	(void)session;
	return result(lsetxattr(words[0], name, &acl, sizeof(acl), 0));
}

static int run_chmod(struct session *session, char **words)
{
	(void)session;
	return result(fchmodat(AT_FDCWD, words[0], (mode_t)g_ascii_strtoull(words[1], NULL, 8), 0));
}

static int run_chown(struct session *session, char **words)
{
	(void)session;
	return result(lchown(words[0], (uid_t)number(words[1]), (gid_t)number(words[2])));
}

static int run_utimes(struct session *session, char **words)
{
	const struct timespec times[2] = {
		{ .tv_sec = g_ascii_strtoll(words[1], NULL, 10), .tv_nsec = 1 },
		{ .tv_sec = g_ascii_strtoll(words[2], NULL, 10),
		  .tv_nsec = (long)(number(words[3]) % 1000000000u) },
	};

	(void)session;
	return result(utimensat(AT_FDCWD, words[0], times, AT_SYMLINK_NOFOLLOW));
}

static int run_flags(struct session *session, char **words)
{
	const long flags = (long)number(words[1]);
	struct stat st;
	AUTOFD int fd = -1;

	(void)session;
	if (lstat(words[0], &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return -EINVAL;
	fd = open(words[0], O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : result(ioctl(fd, FS_IOC_SETFLAGS, &flags));
}

const struct operation data_operations[] = {
	{ "write", 4, run_write },	     /* PATH OFFSET LEN SEED */
	{ "truncate", 2, run_truncate },     /* PATH SIZE */
	{ "fallocate", 4, run_fallocate },   /* PATH MODE OFFSET LEN */
	{ "clone", 5, run_clone },	     /* FROM OFFSET LEN TO OFFSET */
	{ "dedupe", 5, run_dedupe },	     /* FROM OFFSET LEN TO OFFSET */
	{ "fsync", 1, run_fsync },	     /* PATH */
	{ "setxattr", 4, run_setxattr },     /* PATH NAME LEN SEED */
	{ "rmxattr", 2, run_rmxattr },	     /* PATH NAME */
	{ "compression", 2, run_compression }, /* PATH ALGORITHM */
	{ "setcap", 2, run_setcap },	     /* PATH MASK */
	{ "acl", 3, run_acl },		     /* PATH access|default PERM */
	{ "chmod", 2, run_chmod },	     /* PATH MODE (octal) */
	{ "chown", 3, run_chown },	     /* PATH UID GID */
	{ "utimes", 4, run_utimes },	     /* PATH ATIME MTIME NSEC */
	{ "flags", 2, run_flags },	     /* PATH FLAGS, as chattr sets them */
	{ NULL, 0, NULL },
};
