#pragma once
#include "support/blocks.h"
#include "support/image.h"

/* The items of a tree, in the order of their keys. */
typedef struct ItemSet ItemSet;

ItemSet *item_set_new(void);
ItemSet *item_set_copy(const ItemSet *set);
void item_set_free(ItemSet *set); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ItemSet, item_set_free)

/* Puts an item in, in place of one with the same key.  Takes @data:
 * item_set_put(set, key, bytes), bytes made by put_...() of items.h. */
void item_set_put(ItemSet *set, struct key key, GByteArray *data);
void item_set_put_span(ItemSet *set, struct key key, struct span data);
/* The test ends if it is not there. */
void item_set_remove(ItemSet *set, struct key key);
size_t item_set_count(const ItemSet *set);
/* In order; @i < count. */
struct block_item item_set_at(const ItemSet *set, size_t i);

struct tree_root {
	uint64_t logical, generation;
	uint8_t level;
};

/*
 * Writes trees into an image.  Leaves are filled from the first item on; a
 * new leaf also begins where objectid / @objectids_per_leaf changes, and a
 * node holds at most @fanout pointers (0: neither).
 *
 * A block whose contents equal those of a block that the same builder wrote
 * before is not written again but shared, with the older one's generation and
 * owner, as a snapshot shares them.  So a tree and its changed copy share all
 * that is equal; objectids_per_leaf keeps the cuts between leaves in place.
 * Nodes are shared too if their pointers are equal.
 */
typedef struct TreeBuilder TreeBuilder;

TreeBuilder *tree_builder_new(Image *image, const struct block_format *format,
			      uint64_t objectids_per_leaf, unsigned fanout);
void tree_builder_free(TreeBuilder *builder); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TreeBuilder, tree_builder_free)

/* An empty set gives an empty leaf.  The root is shared like any block. */
struct tree_root tree_builder_write(TreeBuilder *builder, const ItemSet *items, uint64_t owner,
				    uint64_t generation);
/* Blocks written so far, not counting shared ones. */
size_t tree_builder_written(const TreeBuilder *builder);
