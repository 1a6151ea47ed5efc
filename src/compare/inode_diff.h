#pragma once
#include "btrfs/inode/inode_reader.h"
#include "btrfs/tree/tree_diff.h"

/*
 * Two snapshots side by side: the items in which they differ, in key order,
 * with what became of each inode.  Both the stream and the list of changes
 * are made from this.  docs/send-order.md, sections 2 and 3.1.
 *
 * Belongs to one thread.
 */
typedef struct InodeDiff InodeDiff;

/* @old_tree NULL: everything in @new_tree is new. NULL only without memory. */
InodeDiff *inode_diff_new(const struct tree *new_tree, const struct tree *old_tree);
void inode_diff_free(InodeDiff *diff); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(InodeDiff, inode_diff_free)

/* For further questions; they belong to the diff.  The old one is NULL when
 * there is no old tree. */
InodeReader *inode_diff_new_side(InodeDiff *diff);
InodeReader *inode_diff_old_side(InodeDiff *diff);

/*
 * What became of an inode.  An inode is the same one while its number and its
 * generation are; without links it is as good as not there (deleted while
 * open).
 */
enum inode_fate {
	INODE_IGNORED,	/* no links on either side that has it */
	INODE_NEW,
	INODE_CHANGED,
	INODE_DELETED,
	INODE_REPLACED, /* the number is another inode's now; or one of the two
			   sides has no links */
};

struct inode_change {
	uint64_t ino;
	enum inode_fate fate;
	bool had_links, has_links; /* old, new side */
	struct inode_item old_item, new_item; /* zeros where the side lacks it */
};

struct inode_event {
	struct tree_event item;
	bool starts_inode; /* item is an INODE_ITEM: @inode is set */
	struct inode_change inode;
};

/*
 * 1 and the next event, whose spans live until the next call; 0 at the end; or
 * an error of tree_diff_next().
 *
 * Equal items are passed over, but for two kinds: EXTENT_DATA (TREE_SAME:
 * needed to find holes), and references into a directory whose number is
 * another inode's now (given as TREE_CHANGED).
 */
int inode_diff_next(InodeDiff *diff, struct inode_event *ret);
