#pragma once
#include "btrfs/tree/tree_cursor.h"

/*
 * One step of a way through a tree: a node, and the slot where the way goes
 * on.  What cursors and comparisons are made of.
 */
struct tree_place {
	Node *node; /* a reference; NULL: no place */
	unsigned slot;
	/* The node holds the keys of [low, high) as its ancestors have it. */
	struct key low, high;
	/* Children from this slot on have not been asked for yet, and those
	 * from @ahead_mark on were asked for last. */
	unsigned ahead, ahead_mark;
	/* In a node of level 2: of the child at @next_slot, which comes later,
	 * the children before @next_ahead have been asked for. */
	unsigned next_slot, next_ahead;
};

/* Which children are read ahead. */
struct tree_ahead {
	unsigned n_leaves;   /* asked for at a time; 0: no readahead */
	uint64_t newer_than; /* only children of later generations */
	/* Only children in this place's range of keys that its node has no
	 * pointer to; NULL: all. */
	const struct tree_place *unlike;
};

void tree_place_clear(struct tree_place *place);

/* The place at slot 0 of the root; it may have no items.  As node_store_get(). */
int tree_place_root(const struct tree *tree, struct tree_place *ret);

/* The place at slot 0 of the child at above->slot, which has items.  *ret is
 * overwritten, not cleared, and only on success.  As node_store_get(). */
int tree_place_child(NodeStore *store, const struct tree_place *above, struct tree_place *ret);

/* What the pointer at @slot says. */
struct node_want tree_place_want(const struct tree_place *place, unsigned slot);

/* The slot of the child that covers @key, in a node that does. */
unsigned tree_place_slot_for(const Node *node, const struct key *key);

/* For one walk that may have up to @most_bytes of leaves on their way. */
struct tree_ahead tree_ahead_for(const NodeStore *store, size_t most_bytes,
					 uint64_t newer_than);

/*
 * To be called before the child at place->slot is read, in a walk that goes
 * on to the following slots.  Asks for the children that come next: leaves
 * by the batch, the next batch as soon as the walk enters the one before, so
 * that one batch is always on its way; of nodes only the next one.  At the
 * end of a node of level 1 it goes on in the next one, if that has arrived.
 * @above: the place of the parent, NULL for the root.
 */
void tree_place_read_ahead(NodeStore *store, struct tree_place *place, struct tree_place *above,
			   const struct tree_ahead *what);
