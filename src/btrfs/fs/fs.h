#pragma once
#include "base/log.h"
#include "btrfs/ondisk/items.h"
#include "btrfs/ondisk/super.h"
#include "btrfs/tree/tree_cursor.h"

/*
 * One btrfs, opened for reading from its devices, whether it is mounted or
 * not: superblock, chunk map, root tree, and the caches that all share.
 * Any thread may use an open Fs.
 */
typedef struct Fs Fs;

struct fs_options {
	size_t cache_bytes;	/* tree blocks and data kept in memory */
	size_t readahead_bytes; /* in flight; 0: none */
	unsigned n_workers;
	/* Devices may be missing: what can be read without them is, the rest is
	 * -EIO.  Otherwise it is an error that names the device. */
	bool degraded;
	/* The paths are what the kernel tells of a mounted file system: those
	 * that cannot be opened have gone, and are missing. */
	bool mounted;
	Log *log; /* may be NULL; must outlive the Fs */
};

/*
 * @paths: the devices or image files, in any order, n > 0.
 * NULL and *error, one line for a person that names what, where, why: not a
 * btrfs, feature not supported (by name), device missing (by number), no
 * permission, damaged.  error->code is the positive errno (domain FS_ERROR).
 */
Fs *fs_open(const char *const *paths, size_t n, const struct fs_options *options, GError **error);
void fs_free(Fs *fs); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Fs, fs_free)

#define FS_ERROR fs_error_quark()
GQuark fs_error_quark(void);

/* The paths of the devices of the file system that is mounted at @dirfd, as
 * the kernel tells.  A NULL-terminated vector, or NULL and *error. */
char **fs_mounted_devices(int dirfd, GError **error);

/* Takes up what has been committed since (newer superblock, chunks, roots).
 * 0 whether or not there was something new.  Blocks in memory stay valid. */
int fs_refresh(Fs *fs);

/* Has a line written for each copy of a tree block that was found to be bad;
 * see node_store_tell_bad().  When a piece of work has ended. */
void fs_tell_bad_copies(Fs *fs);

/* The superblock in use, by value: fs_refresh() may replace it. */
struct super fs_super(Fs *fs);
Volume *fs_volume(Fs *fs);
NodeStore *fs_nodes(Fs *fs);
Workers *fs_workers(Fs *fs); /* may be NULL */
Log *fs_log(Fs *fs);	     /* may be NULL */

/* The trees that change with every commit, as of the superblock in use.
 * -ENOENT: this file system has no such tree. */
int fs_root_tree(Fs *fs, struct tree *ret);
int fs_tree(Fs *fs, uint64_t id, struct tree *ret); /* BTRFS_CSUM_TREE_OBJECTID ... */

/* Subvolume @id: its root item and its tree.  Either result may be NULL.  One
 * that has been deleted is found as long as its root item is there (its trees
 * are kept while somebody holds it open): item->refs is 0 then.
 *   -ENOENT   no such subvolume */
int fs_subvolume(Fs *fs, uint64_t id, struct root_item *ret_item, struct tree *ret_tree);
