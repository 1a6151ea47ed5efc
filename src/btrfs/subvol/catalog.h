#pragma once
#include "btrfs/fs/fs.h"

/*
 * The snapshots that can be served, by name: one shape for a mounted file
 * system (a directory looked at anew each time) and for one that is not
 * mounted (its root tree).  Any thread.
 */
typedef struct Catalog Catalog;

/* One subvolume.  Immutable and shared; snapshot_unref() when done. */
typedef struct Snapshot {
	char *name;	 /* in the view: no '/', unique in its catalog */
	char *path;	 /* relative to the source, for messages and pins */
	char *leaf_name; /* what a stream calls it: the name in its first
			    ROOT_BACKREF item */
	uint64_t id;
	uint64_t generation, ctransid, otransid;
	uint8_t uuid[16], parent_uuid[16], received_uuid[16];
	struct disk_time otime; /* creation */
	struct disk_time ctime; /* last change of the root item's subvolume */
	bool read_only;
} Snapshot;

Snapshot *snapshot_ref(const Snapshot *snapshot);
void snapshot_unref(Snapshot *snapshot); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Snapshot, snapshot_unref)

/*
 * @pattern: where snapshots lie, one '*' that becomes the name; NULL: both
 * "*" and the layout "*" "/snapshot" (name: the part before the slash).
 * @dirfd is duplicated.
 */
Catalog *catalog_new_mounted(int dirfd, const char *pattern, Fs *fs, GError **error);
Catalog *catalog_new_unmounted(Fs *fs, const char *pattern, GError **error);
void catalog_free(Catalog *catalog); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Catalog, catalog_free)

/* All read-only snapshots, ordered by name; an array of Snapshot with
 * snapshot_unref as its free function.  Subvolumes that vanish while the list
 * is made are left out. */
int catalog_list(Catalog *catalog, GPtrArray **ret);

/*
 * By name as listed; else by path with "%2F" for '/' (and "%25" for '%'), by
 * subvolume id (decimal), by UUID.  The result's name is @name.
 *   -ENOENT   no such subvolume
 *   -EXDEV    it is on another file system
 * A subvolume that is not read-only is found too: look at read_only.
 */
int catalog_find(Catalog *catalog, const char *name, Snapshot **ret);

/*
 * The snapshot that the pair "PREVIOUS..SNAPSHOT" is listed for: the newest
 * older one of the same origin within @list (see catalog_list()), or NULL.
 * Same origin: equal parent UUID, or one is the other's parent.
 * Oldest first by otransid, then id.
 */
const Snapshot *catalog_predecessor(const GPtrArray *list, const Snapshot *snapshot);

/*
 * Keeps the snapshot's trees on disk while it is open: a descriptor of its
 * directory, to be closed by the caller.  Not mounted: *ret_fd = -1, and 0.
 * One that has been renamed is found where the caller's privilege allows it.
 *   -ENOENT   it is gone;  -ESTALE  the path holds another subvolume now
 *   -EPERM, -EACCES
 */
int catalog_pin(Catalog *catalog, const Snapshot *snapshot, int *ret_fd);

/*
 * Waits until what is on disk is what the kernel shows: afterwards
 * fs_subvolume() gives the pinned snapshot as it is now, with all its data
 * written.  Costs a superblock's reading; a syncfs() only where the snapshot
 * has been written to since it was made, or is not on disk yet.  Its generation
 * and ctransid can move by that: the root item has the right ones.
 * Not mounted: nothing to do, and 0.
 *   -ESTALE   it keeps changing, or it was deleted after it had changed
 *   other negative errno of syncfs(), fs_refresh(), fs_subvolume()
 */
int catalog_settle(Catalog *catalog, const Snapshot *snapshot, int pin_fd);
