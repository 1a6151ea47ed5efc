#include "view/source.h"
#include "base/autofd.h"
#include "view/mountinfo.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

static GQuark source_error(void)
{
	return g_quark_from_static_string("sendfs-source");
}

void source_clear(Source *source)
{
	autofd_close(&source->dirfd);
	source->dirfd = -1;
	g_clear_pointer(&source->devices, g_strfreev);
}

static bool fail(GError **error, const char *path, const char *why)
{
	g_set_error(error, source_error(), EIO, "%s: %s", path, why);
	return false;
}

static bool open_directory(const Options *options, Source *ret, GError **error)
{
	AUTOFD int fd = open(options->source, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct statfs fs;
	char **devices;

	if (fd < 0 || fstatfs(fd, &fs) < 0)
		return fail(error, options->source, g_strerror(errno));
	if (fs.f_type != BTRFS_SUPER_MAGIC)
		return fail(error, options->source, "not on a btrfs");
	if (options->devices->len > 0)
		return fail(error, options->source,
			    "mounted: the kernel tells its devices, 'device' is not wanted");
	devices = fs_mounted_devices(fd, error);
	if (!devices)
		return false;
	*ret = (Source){ .dirfd = autofd_steal(&fd), .devices = devices };
	return true;
}

/* A mounted device cannot be had exclusively. */
static bool in_use(const char *path)
{
	AUTOFD int fd = open(path, O_RDONLY | O_EXCL | O_CLOEXEC);

	return fd < 0 && errno == EBUSY;
}

static bool take_devices(const Options *options, bool is_block, Source *ret, GError **error)
{
	g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);

	if (is_block && in_use(options->source))
		return fail(error, options->source,
			    "in use: name the directory where its snapshots are mounted");
	g_ptr_array_add(paths, g_strdup(options->source));
	for (guint i = 0; i < options->devices->len; i++)
		g_ptr_array_add(paths, g_strdup(g_ptr_array_index(options->devices, i)));
	g_ptr_array_add(paths, NULL);
	*ret = (Source){ .dirfd = -1,
			 .devices = (char **)g_ptr_array_free(g_steal_pointer(&paths), FALSE) };
	return true;
}

bool source_open(const Options *options, Source *ret, GError **error)
{
	struct stat st;

	if (stat(options->source, &st) < 0)
		return fail(error, options->source, g_strerror(errno));
	if (S_ISDIR(st.st_mode))
		return open_directory(options, ret, error);
	if (S_ISBLK(st.st_mode) || S_ISREG(st.st_mode))
		return take_devices(options, S_ISBLK(st.st_mode), ret, error);
	return fail(error, options->source, "neither a directory nor a block device nor an image file");
}

/* --- the mount point --- */

static bool has_view(const char *path)
{
	g_auto(Mountinfo) info = { 0 };

	return mountinfo_find(path, &info) && strcmp(info.type, "fuse.sendfs") == 0;
}

static char *refuse(GError **error, const char *path, const char *why)
{
	g_set_error(error, source_error(), EIO, "mount point %s: %s", path, why);
	return NULL;
}

static const char dead_mount[] = "a dead mount is in the way: unmount it with fusermount3 -u";

char *mountpoint_check(const char *path, GError **error)
{
	struct statfs fs;
	g_autofree char *absolute = NULL;
	char *real;
	struct stat st;

	if (stat(path, &st) < 0)
		return refuse(error, path, errno == ENOTCONN ? dead_mount : g_strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return refuse(error, path, "not a directory");
	/* stat() may have answered from memory */
	if (statfs(path, &fs) < 0 && errno == ENOTCONN)
		return refuse(error, path, dead_mount);
	real = realpath(path, NULL);
	if (!real)
		return refuse(error, path, g_strerror(errno));
	absolute = g_strdup(real);
	free(real);
	if (has_view(absolute))
		return refuse(error, path, "busy: sendfs is mounted there already");
	return g_steal_pointer(&absolute);
}
