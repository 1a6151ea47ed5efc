#include "base/autofd.h"
#include "session.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/btrfs.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int result(int r)
{
	return r < 0 ? -errno : 0;
}

static int over(const char *what)
{
	fprintf(stderr, "history: %s: %s\n", what, strerror(errno));
	return SESSION_OVER;
}

static int enter(struct session *session, const char *subvolume)
{
	g_autofree char *path = g_strdup_printf("%s/%s", session->options->dir, subvolume);

	if (chdir(path) < 0)
		return over(path);
	if (subvolume != session->subvolume) {
		g_free(session->subvolume);
		session->subvolume = g_strdup(subvolume);
	}
	return 0;
}

static int subvolume_create(const char *path)
{
	struct btrfs_ioctl_vol_args args = { 0 };
	g_autofree char *dir = g_path_get_dirname(path);
	g_autofree char *name = g_path_get_basename(path);
	AUTOFD int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	g_strlcpy(args.name, name, sizeof(args.name));
	return result(ioctl(fd, BTRFS_IOC_SUBVOL_CREATE, &args));
}

/* In the top directory, where all subvolumes that matter lie. */
static int snapshot(struct session *session, const char *from, const char *name, __u64 flags)
{
	struct btrfs_ioctl_vol_args_v2 args = { .flags = flags };
	g_autofree char *path = g_strdup_printf("%s/%s", session->options->dir, from);
	AUTOFD int top = open(session->options->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	AUTOFD int source = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (top < 0 || source < 0)
		return over(path);
	args.fd = source;
	g_strlcpy(args.name, name, sizeof(args.name));
	return ioctl(top, BTRFS_IOC_SNAP_CREATE_V2, &args) < 0 ? over(name) : 0;
}

static int set_read_only(struct session *session, const char *name, bool read_only)
{
	g_autofree char *path = g_strdup_printf("%s/%s", session->options->dir, name);
	AUTOFD int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	__u64 flags = read_only ? BTRFS_SUBVOL_RDONLY : 0;

	if (fd < 0)
		return over(path);
	return ioctl(fd, BTRFS_IOC_SUBVOL_SETFLAGS, &flags) < 0 ? over(name) : 0;
}

static int run_volume(struct session *session, char **words)
{
	g_autofree char *path = g_strdup_printf("%s/%s", session->options->dir, words[0]);
	int r = subvolume_create(path);

	errno = -r;
	return r < 0 ? over(path) : enter(session, words[0]);
}

static int run_in(struct session *session, char **words)
{
	return enter(session, words[0]);
}

static int run_snapshot(struct session *session, char **words)
{
	return snapshot(session, session->subvolume ? session->subvolume : ".", words[0],
			BTRFS_SUBVOL_RDONLY);
}

static int run_fork(struct session *session, char **words)
{
	int r = snapshot(session, words[1], words[0], 0);

	return r < 0 ? r : enter(session, words[0]);
}

static int run_ro(struct session *session, char **words)
{
	return set_read_only(session, words[0], true);
}

static int run_rw(struct session *session, char **words)
{
	return set_read_only(session, words[0], false);
}

static int run_subvol(struct session *session, char **words)
{
	(void)session;
	return subvolume_create(words[0]);
}

static int run_delsubvol(struct session *session, char **words)
{
	struct btrfs_ioctl_vol_args args = { 0 };
	g_autofree char *dir = g_path_get_dirname(words[0]);
	g_autofree char *name = g_path_get_basename(words[0]);
	AUTOFD int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	(void)session;
	if (fd < 0)
		return -errno;
	g_strlcpy(args.name, name, sizeof(args.name));
	return result(ioctl(fd, BTRFS_IOC_SNAP_DESTROY, &args));
}

static int run_sync(struct session *session, char **words)
{
	AUTOFD int fd = open(session->options->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	(void)words;
	return fd < 0 ? -errno : result(syncfs(fd));
}

static int run_mount(struct session *session, char **words)
{
	g_free(session->mount_options);
	session->mount_options = g_strdup(words[0]);
	return 0;
}

static int command(const char *const *argv)
{
	g_autofree char *said = NULL;
	int status;

	if (!g_spawn_sync(NULL, (char **)(uintptr_t)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL,
			  NULL, &said, &status, NULL))
		return -ENOENT;
	if (status)
		fprintf(stderr, "history: %s", said);
	return status ? -EIO : 0;
}

static char *mount_source(const char *dir)
{
	g_autofree char *table = NULL;
	g_auto(GStrv) lines = NULL;
	char *source = NULL;

	if (!g_file_get_contents("/proc/self/mounts", &table, NULL, NULL))
		return NULL;
	lines = g_strsplit(table, "\n", -1);
	for (char **line = lines; *line; line++) {
		g_auto(GStrv) fields = g_strsplit(*line, " ", 3);

		if (g_strv_length(fields) == 3 && g_str_equal(fields[1], dir)) {
			g_free(source);
			source = g_strdup(fields[0]);
		}
	}
	return source;
}

/* The open descriptor keeps a loop device from going with its last mount. */
/* The name is in the stream, so FROM bears it meanwhile: a read-only subvolume
 * cannot move to another directory.  What cannot be received (docs/quirks.md) is
 * replaced by a snapshot. */
static int run_receive(struct session *session, char **words)
{
	static const char script[] =
		"cd \"$1\" && mv \"$3\" \"$2\" || exit; "
		"btrfs -q send ${4:+-p \"$4\"} -f ../stream \"$2\"; r=$?; mv \"$2\" \"$3\"; "
		"[ $r = 0 ] && btrfs -q receive -f ../stream . || r=1; rm -f ../stream; "
		"[ $r = 0 ] || btrfs -q subvolume delete \"$2\"; exit $r";
	const char *const parent = g_str_equal(words[2], "-") ? "" : words[2];
	const char *const argv[] = { "sh",     "-c",	 script, "receive", session->options->dir,
				     words[0], words[1], parent, NULL };

	return command(argv) < 0 ? snapshot(session, words[1], words[0], BTRFS_SUBVOL_RDONLY) : 0;
}

static void close_device(void *fd)
{
	autofd_close(fd);
}

/* Those that the mount options name, kept open for the same reason. */
static GArray *open_devices(const char *options)
{
	static const char name[] = "device=";
	GArray *devices = g_array_new(FALSE, FALSE, sizeof(int));

	g_array_set_clear_func(devices, close_device);
	for (const char *at = strstr(options, name); at; at = strstr(at, name)) {
		g_autofree char *path = NULL;
		int fd;

		at += strlen(name);
		path = g_strndup(at, strcspn(at, ","));
		fd = open(path, O_RDONLY | O_CLOEXEC);
		g_array_append_val(devices, fd);
	}
	return devices;
}

static int run_remount(struct session *session, char **words)
{
	const char *dir = session->options->dir;
	g_autofree char *source = mount_source(dir);
	AUTOFD int device = source ? open(source, O_RDONLY | O_CLOEXEC) : -1;
	g_autoptr(GArray) devices = open_devices(session->mount_options);
	g_autofree char *options = g_strconcat("nodev,", session->mount_options, NULL);
	const char *const off[] = { "umount", dir, NULL };
	const char *const on[] = { "mount", "-t", "btrfs", "-o", options, source, dir, NULL };

	(void)words;
	if (device < 0)
		return over(dir);
	session_release_all(session);
	if (chdir("/") < 0 || command(off) < 0 || command(on) < 0)
		return over("mounting again");
	return session->subvolume ? enter(session, session->subvolume) : 0;
}

static int run_nothing(struct session *session, char **words)
{
	(void)session;
	(void)words;
	return 0;
}

const struct operation volume_operations[] = {
	{ "mkfs", 1, run_nothing },   /* OPTIONS: for who makes the file system */
	{ "pair", 2, run_nothing },   /* PARENT[,SOURCE...]|- SNAPSHOT: for who compares */
	{ "devices", 1, run_nothing }, /* N: the same */
	{ "mount", 1, run_mount },    /* OPTIONS */
	{ "remount", 0, run_remount },
	{ "volume", 1, run_volume },  /* NAME: at the top, and enters it */
	{ "in", 1, run_in },	      /* NAME */
	{ "snapshot", 1, run_snapshot }, /* NAME: of the one at hand, read-only */
	{ "fork", 2, run_fork },      /* NAME FROM: writable, and enters it */
	{ "ro", 1, run_ro },	      /* NAME */
	{ "rw", 1, run_rw },	      /* NAME */
	{ "subvol", 1, run_subvol },  /* PATH: nested */
	{ "delsubvol", 1, run_delsubvol }, /* PATH */
	{ "receive", 3, run_receive }, /* NAME FROM PARENT|- */
	{ "sync", 0, run_sync },
	{ NULL, 0, NULL },
};
