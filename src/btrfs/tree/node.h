#pragma once
#include "btrfs/ondisk/key.h"
#include "base/span.h"
#include <glib.h>
#include <stdatomic.h>

/*
 * One verified tree block.  Immutable and shared by reference counting; the
 * accessors may be called from any thread by who holds a reference.
 *
 * Everything in the block has been checked before a Node exists: checksum,
 * fsid, address, level, generation, order of keys, bounds of items.  What an
 * item's own bytes mean has not.
 *
 * Source: linux/btrfs_tree.h; header 101 bytes, key pointer 33, item 25.
 */
typedef struct Node {
	const uint8_t *block;
	uint64_t logical, generation, owner;
	uint32_t size; /* bytes */
	uint32_t n_items;
	uint8_t level; /* 0: a leaf */
	atomic_uint refs;
} Node;

#define NODE_HEADER_LEN 101u
#define NODE_POINTER_LEN 33u
#define NODE_ITEM_LEN 25u
#define NODE_N_LEVELS 8u /* levels are below this */

Node *node_ref(Node *node);
void node_unref(Node *node); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Node, node_unref)

static inline const uint8_t *node_slot(const Node *node, unsigned slot)
{
	return node->block + NODE_HEADER_LEN +
	       (size_t)slot * (node->level ? NODE_POINTER_LEN : NODE_ITEM_LEN);
}

/* @slot < n_items, in all of these. */
static inline struct key node_key(const Node *node, unsigned slot)
{
	const uint8_t *at = node_slot(node, slot);

	return KEY(load_le64(at), at[8], load_le64(at + 9));
}

static inline struct span node_item(const Node *leaf, unsigned slot)
{
	const uint8_t *at = node_slot(leaf, slot);

	return span_of(leaf->block + NODE_HEADER_LEN + load_le32(at + 17), load_le32(at + 21));
}

static inline uint64_t node_child_logical(const Node *node, unsigned slot)
{
	return load_le64(node_slot(node, slot) + 17);
}

static inline uint64_t node_child_generation(const Node *node, unsigned slot)
{
	return load_le64(node_slot(node, slot) + 25);
}

/* The first slot whose key is >= @key; n_items if there is none. */
unsigned node_lower_bound(const Node *node, const struct key *key);
