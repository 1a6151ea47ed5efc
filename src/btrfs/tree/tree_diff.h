#pragma once
#include "btrfs/tree/tree_cursor.h"

/*
 * Two trees side by side, item by item in key order.
 *
 * A subtree that both trees share (same address, same generation, reached at
 * the same level) is passed over and never read; its items give no events.
 * What the new tree has written since the old root's generation is read
 * ahead; of the old tree, the leaves that the new one is seen not to share.
 * Nothing is read that is not needed (see ARCHITECTURE.md, readahead).
 */
typedef struct TreeDiff TreeDiff;

enum tree_change { TREE_SAME, TREE_ADDED, TREE_REMOVED, TREE_CHANGED };

struct tree_event {
	enum tree_change change;
	struct key key;
	struct span new_item; /* empty for TREE_REMOVED */
	struct span old_item; /* empty for TREE_ADDED */
	bool first_in_leaf;   /* the new item is the first of its leaf */
	uint64_t leaf_logical;/* of the new item's leaf; 0 for TREE_REMOVED */
	uint64_t leaf_owner;  /* the owner field of that leaf's header */
};

/* @old_tree NULL: every item of @new_tree from @first on is TREE_ADDED.
 * Belongs to one thread.  NULL only without memory. */
TreeDiff *tree_diff_new(const struct tree *new_tree, const struct tree *old_tree,
			const struct key *first);
void tree_diff_free(TreeDiff *diff); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TreeDiff, tree_diff_free)

/* 1 and the next event, whose spans live until the next call; 0 at the end;
 * or an error of node_store_get(), which stays. */
int tree_diff_next(TreeDiff *diff, struct tree_event *ret);
