#include "btrfs/tree/tree_place.h"

#define MOST_LEAVES_AT_A_TIME 128u

void tree_place_clear(struct tree_place *place)
{
	node_unref(g_steal_pointer(&place->node));
}

int tree_place_root(const struct tree *tree, struct tree_place *ret)
{
	const struct node_want want = {
		.logical = tree->logical,
		.generation = tree->generation,
		.level = tree->level,
	};
	Node *node;
	const int r = node_store_get(tree->store, &want, &node);

	if (r < 0)
		return r;
	*ret = (struct tree_place){ .node = node, .high = KEY_MAX };
	return 0;
}

static struct node_want want_child(const Node *node, unsigned slot)
{
	return (struct node_want){
		.logical = node_child_logical(node, slot),
		.generation = node_child_generation(node, slot),
		.level = (uint8_t)(node->level - 1),
		.has_first_key = true,
		.first_key = node_key(node, slot),
	};
}

int tree_place_child(NodeStore *store, const struct tree_place *above, struct tree_place *ret)
{
	const struct node_want want = want_child(above->node, above->slot);
	struct tree_place place = {
		/* What is less than the first key of all goes left all the way. */
		.low = above->slot > 0 ? want.first_key : above->low,
		.high = above->slot + 1 < above->node->n_items ?
				node_key(above->node, above->slot + 1) :
				above->high,
	};
	const int r = node_store_get(store, &want, &place.node);
	struct key last;

	if (r < 0)
		return r;
	/* No walk may see a key twice: a forged tree whose nodes overlap could
	 * be walked for ever. */
	last = node_key(place.node, place.node->n_items - 1);
	if (key_compare(&last, &place.high) >= 0) {
		tree_place_clear(&place);
		return -EUCLEAN;
	}
	*ret = place;
	return 0;
}

unsigned tree_place_slot_for(const Node *node, const struct key *key)
{
	const unsigned slot = node_lower_bound(node, key);

	if (slot < node->n_items) {
		const struct key at = node_key(node, slot);

		if (key_compare(&at, key) == 0)
			return slot;
	}
	return slot > 0 ? slot - 1 : 0;
}

struct tree_ahead tree_ahead_for(const NodeStore *store, size_t most_bytes,
					 uint64_t newer_than)
{
	const size_t most = node_store_readahead_window(store, most_bytes);

	/* Two batches at a time; see tree_place_read_ahead(). */
	return (struct tree_ahead){
		.n_leaves = most == 0 ? 0 :
					(unsigned)CLAMP(most / 2, 1, MOST_LEAVES_AT_A_TIME),
		.newer_than = newer_than,
	};
}

void tree_place_read_ahead(NodeStore *store, struct tree_place *place,
			   const struct tree_ahead *what)
{
	const Node *node = place->node;
	const unsigned most = node->level > 1 ? MIN(what->n_leaves, 1u) : what->n_leaves;
	struct node_want wants[MOST_LEAVES_AT_A_TIME];
	unsigned slots[MOST_LEAVES_AT_A_TIME];
	unsigned slot = MAX(place->ahead, place->slot + 1), n = 0;
	size_t taken;

	if (most == 0 || place->slot < place->ahead_mark || slot >= node->n_items)
		return;
	for (; slot < node->n_items && n < most; slot++) {
		if (node_child_generation(node, slot) <= what->newer_than)
			continue;
		slots[n] = slot;
		wants[n++] = want_child(node, slot);
	}
	taken = n > 0 ? node_store_prefetch(store, wants, n) : 0;
	place->ahead = taken < n ? slots[taken] : slot;
	if (taken > 0)
		place->ahead_mark = slots[0];
}
