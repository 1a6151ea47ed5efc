#pragma once
#include "btrfs/fs/fs.h"

/*
 * Whether a subvolume's tree is still where it was.
 *
 * A snapshot's extents keep their addresses and contents as long as its root
 * item gives the same block: whatever moves one extent (balance) or changes
 * one writes a new root block.  So what is known of the file system as of a
 * superblock holds for the extents of a tree whose root is unmoved in that
 * superblock or a later one.
 *
 * A root is looked up once for each superblock.  Any thread.
 */
typedef struct RootCheck RootCheck;

RootCheck *root_check_new(Fs *fs);
void root_check_free(RootCheck *check); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RootCheck, root_check_free)

/*
 * 0 if @tree is unmoved in the superblock in use or a later one.
 *   -ESTALE   moved, changed or gone
 *   errors of node_store_get(), of the root tree
 */
int root_check(RootCheck *check, const struct tree *tree);

/*
 * The same as of the newest superblock on the devices.  After a read: what
 * was read was not freed by then, since what a commit frees is not written
 * to before its superblock is on disk.
 */
int root_check_newest(RootCheck *check, const struct tree *tree);
