#pragma once
#include "btrfs/tree/node_store.h"

/* A committed tree, named by its root block.  A plain value. */
struct tree {
	NodeStore *store;
	uint64_t id; /* the subvolume or tree id */
	uint64_t logical;
	uint64_t generation;
	uint8_t level;
};

/*
 * A place in a tree.  A seek that lands in the leaf (or below a node) where
 * the cursor stands already does not descend from the root again.
 *
 * A cursor belongs to one thread.  It holds references to the blocks on its
 * way; spans that it gives live until it moves.
 *
 * Everything that can read a block returns the errors of node_store_get().
 */
typedef struct TreeCursor TreeCursor;

enum tree_readahead {
	TREE_READAHEAD_NONE,
	TREE_READAHEAD_FORWARD, /* the leaves that follow */
};

TreeCursor *tree_cursor_new(const struct tree *tree, enum tree_readahead readahead);
void tree_cursor_free(TreeCursor *cursor); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TreeCursor, tree_cursor_free)

/* To the first item with a key >= @key.  -ENOENT: there is none. */
int tree_cursor_seek(TreeCursor *cursor, const struct key *key);
/* To the last item with a key <= @key.  -ENOENT: there is none. */
int tree_cursor_seek_before(TreeCursor *cursor, const struct key *key);
/* To the item with just this key.  -ENOENT: there is none; the cursor then
 * stands where tree_cursor_seek() would leave it, or nowhere. */
int tree_cursor_find(TreeCursor *cursor, const struct key *key);
/* One item on, one item back.  -ENOENT: there is none, and the cursor stays. */
int tree_cursor_next(TreeCursor *cursor);
int tree_cursor_prev(TreeCursor *cursor);

/* Of the item where the cursor stands; it must stand somewhere. */
struct key tree_cursor_key(const TreeCursor *cursor);
struct span tree_cursor_item(const TreeCursor *cursor);
const Node *tree_cursor_leaf(const TreeCursor *cursor);
unsigned tree_cursor_slot(const TreeCursor *cursor);

/* The tree that the cursor was made for. */
struct tree tree_cursor_tree(const TreeCursor *cursor);

/* Descents from the root (counted for the benchmarks). */
uint64_t tree_cursor_descents(const TreeCursor *cursor);
