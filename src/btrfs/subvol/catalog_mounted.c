#include "base/autofd.h"
#include "btrfs/subvol/catalog_private.h"
#include "btrfs/subvol/kernel_subvol.h"
#include <btrfsutil.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#define SETTLE_TRIES_MOST 5u

typedef DIR Dir;
static void close_dir(Dir *dir)
{
	if (dir)
		closedir(dir);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Dir, close_dir)

/* What cannot be a subvolume's root is no snapshot; the cause of that is of
 * no interest. */
static bool is_absent(int err)
{
	return err == ENOENT || err == ENOTDIR || err == ELOOP || err == ENAMETOOLONG;
}

/* The subvolume at a path relative to the source. */
static int info_at(Catalog *catalog, const char *name, const char *path, Snapshot **ret)
{
	const struct super super = fs_super(catalog->fs);
	AUTOFD int fd = -1;
	struct stat st;

	/* Looked at first, so that no directory that is none is opened. */
	if (fstatat(catalog->dirfd, path, &st, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) < 0)
		return is_absent(errno) ? -ENOENT : -errno;
	if (!S_ISDIR(st.st_mode) || st.st_ino != BTRFS_FIRST_FREE_OBJECTID)
		return -ENOENT;
	fd = openat(catalog->dirfd, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return is_absent(errno) ? -ENOENT : -errno;
	return kernel_subvol_info(fd, super.fsid, name, path, ret);
}

/* An entry that cannot be had is left out: it may have vanished. */
static void add_entry(Catalog *catalog, const struct pattern *pattern, const char *entry,
		      GPtrArray *list)
{
	g_autofree char *name = pattern_match_entry(pattern, entry);
	g_autoptr(Snapshot) snapshot = NULL;
	g_autofree char *path = NULL;

	if (!name)
		return;
	path = pattern_path(pattern, name);
	if (info_at(catalog, name, path, &snapshot) == 0 && snapshot->read_only)
		g_ptr_array_add(list, g_steal_pointer(&snapshot));
}

static int scan(Catalog *catalog, const struct pattern *pattern, GPtrArray *list)
{
	AUTOFD int fd = openat(catalog->dirfd, pattern->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	g_autoptr(Dir) dir = NULL;
	const struct dirent *entry;

	if (fd < 0)
		return is_absent(errno) ? 0 : -errno;
	dir = fdopendir(fd);
	if (!dir)
		return -errno;
	autofd_steal(&fd);
	while (errno = 0, entry = readdir(dir), entry)
		if (entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN)
			add_entry(catalog, pattern, entry->d_name, list);
	return -errno;
}

int mounted_list(Catalog *catalog, GPtrArray *list)
{
	for (guint i = 0; i < catalog->patterns->len; i++) {
		int r = scan(catalog, g_ptr_array_index(catalog->patterns, i), list);

		if (r < 0)
			return r;
	}
	return 0;
}

/* For messages, as long as the caller may know it. */
static char *path_from_top(int fd, uint64_t id)
{
	char *found = NULL, *path;

	if (btrfs_util_subvolume_path_fd(fd, id, &found) != BTRFS_UTIL_OK)
		return g_strdup_printf("(subvolume %" G_GUINT64_FORMAT ")", id);
	path = g_strdup(found);
	free(found);
	return path;
}

static int find_id(Catalog *catalog, const char *name, uint64_t id, Snapshot **ret)
{
	const struct super super = fs_super(catalog->fs);
	g_autofree char *path = NULL;
	AUTOFD int fd = -1;
	int r;

	r = kernel_subvol_open(catalog->dirfd, id, &fd);
	if (r == -EPERM || r == -EOPNOTSUPP) {
		fs_refresh(catalog->fs);
		return unmounted_find_id(catalog, name, id, ret);
	}
	if (r < 0)
		return r;
	path = path_from_top(fd, id);
	return kernel_subvol_info(fd, super.fsid, name, path, ret);
}

/* The root tree knows the id that belongs to a UUID. */
static int find_uuid(Catalog *catalog, const char *name, const uint8_t uuid[16], Snapshot **ret)
{
	g_autoptr(Snapshot) on_disk = NULL;
	int r;

	r = fs_refresh(catalog->fs);
	if (r == 0)
		r = unmounted_find_uuid(catalog, name, uuid, &on_disk);
	return r < 0 ? r : find_id(catalog, name, on_disk->id, ret);
}

const struct name_finders mounted_finders = {
	.path = info_at,
	.id = find_id,
	.uuid = find_uuid,
};

static bool is_same(const Snapshot *a, const Snapshot *b)
{
	return a->id == b->id && memcmp(a->uuid, b->uuid, sizeof(a->uuid)) == 0;
}

/* Holds @fd the subvolume that @snapshot was? */
static int check_same(Catalog *catalog, int fd, const Snapshot *snapshot)
{
	const struct super super = fs_super(catalog->fs);
	g_autoptr(Snapshot) now = NULL;
	int r = kernel_subvol_info(fd, super.fsid, snapshot->name, snapshot->path, &now);

	if (r == -ENOENT || r == -EXDEV)
		return -ESTALE;
	if (r < 0)
		return r;
	return is_same(now, snapshot) ? 0 : -ESTALE;
}

static int pin_by_path(Catalog *catalog, const Snapshot *snapshot, int *ret_fd)
{
	AUTOFD int fd = openat(catalog->dirfd, snapshot->path,
			       O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int r;

	if (fd < 0)
		return is_absent(errno) ? -ENOENT : -errno;
	r = check_same(catalog, fd, snapshot);
	if (r == 0)
		*ret_fd = autofd_steal(&fd);
	return r;
}

static int pin_by_id(Catalog *catalog, const Snapshot *snapshot, int *ret_fd)
{
	AUTOFD int fd = -1;
	int r;

	r = kernel_subvol_open(catalog->dirfd, snapshot->id, &fd);
	if (r == 0)
		r = check_same(catalog, fd, snapshot);
	if (r == 0)
		*ret_fd = autofd_steal(&fd);
	return r;
}

/* By path, which needs no privilege; else by id: it may have been renamed, or
 * lie where no path from the source leads. */
int catalog_pin(Catalog *catalog, const Snapshot *snapshot, int *ret_fd)
{
	int r;

	if (catalog->dirfd < 0) {
		*ret_fd = -1;
		return 0;
	}
	r = pin_by_path(catalog, snapshot, ret_fd);
	if (r < 0 && pin_by_id(catalog, snapshot, ret_fd) == 0)
		return 0;
	return r;
}

/*
 * Has it been written to since it was made?  Then not all of that need be on
 * disk, whatever its root item says.  Making a snapshot ends a transaction, so
 * what comes later is newer than it; a subvolume made empty can be written to
 * within the same transaction.
 */
static bool was_written_to(const Snapshot *snapshot)
{
	static const uint8_t none[16];
	const bool made_empty = memcmp(snapshot->parent_uuid, none, sizeof(none)) == 0;

	return snapshot->ctransid > snapshot->otransid ||
	       (made_empty && snapshot->ctransid == snapshot->otransid);
}

/* Is the root item on disk what the kernel has in memory? */
static int compare_with_disk(Fs *fs, const Snapshot *now)
{
	struct root_item item;
	int r;

	r = fs_refresh(fs);
	if (r == 0)
		r = fs_subvolume(fs, now->id, &item, NULL);
	if (r < 0)
		return r;
	if (item.generation != now->generation || item.ctransid != now->ctransid ||
	    memcmp(item.uuid, now->uuid, sizeof(item.uuid)) != 0 ||
	    !(item.flags & BTRFS_ROOT_SUBVOL_RDONLY) != !now->read_only)
		return -ESTALE;
	return 0;
}

int catalog_settle(Catalog *catalog, const Snapshot *snapshot, int pin_fd)
{
	const struct super super = fs_super(catalog->fs);
	int r = -ESTALE;

	if (catalog->dirfd < 0)
		return 0;
	for (unsigned tries = 0; tries < SETTLE_TRIES_MOST; tries++) {
		g_autoptr(Snapshot) now = NULL;

		r = kernel_subvol_info(pin_fd, super.fsid, snapshot->name, snapshot->path, &now);
		/* Deleted, and kept by the pin: what was seen last must be there. */
		if (r == -ENOENT)
			return compare_with_disk(catalog->fs, snapshot);
		if (r < 0)
			return r;
		if ((tries > 0 || was_written_to(now)) && syncfs(pin_fd) < 0)
			return -errno;
		g_clear_pointer(&now, snapshot_unref);
		r = kernel_subvol_info(pin_fd, super.fsid, snapshot->name, snapshot->path, &now);
		if (r == 0)
			r = compare_with_disk(catalog->fs, now);
		if (r != -ESTALE && r != -ENOENT)
			return r;
	}
	return -ESTALE;
}
