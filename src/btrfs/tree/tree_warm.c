#include "btrfs/tree/tree_warm.h"
#include "btrfs/tree/tree_place.h"

#define MOST_WANTS 64u

struct leaf_hunt {
	const struct tree *tree;
	struct tree_place at; /* a node of level 1, or none */
	struct node_want wants[MOST_WANTS];
	unsigned n;
};

static bool covers(const struct tree_place *place, const struct key *key)
{
	return place->node && key_compare(key, &place->low) >= 0 &&
	       key_compare(key, &place->high) < 0;
}

static int find_parent(struct leaf_hunt *hunt, const struct key *key)
{
	struct tree_place *at = &hunt->at;
	int r;

	if (covers(at, key))
		return 0;
	tree_place_clear(at);
	r = tree_place_root(hunt->tree, at);
	while (r == 0 && at->node->level > 1) {
		struct tree_place above = *at;

		above.slot = tree_place_slot_for(above.node, key);
		*at = (struct tree_place){ 0 };
		r = tree_place_child(hunt->tree->store, &above, at);
		tree_place_clear(&above);
	}
	return r;
}

static void ask(struct leaf_hunt *hunt)
{
	node_store_warm(hunt->tree->store, hunt->wants, hunt->n);
	hunt->n = 0;
}

static void add(struct leaf_hunt *hunt, const struct key *key)
{
	const struct node_want want =
		tree_place_want(&hunt->at, tree_place_slot_for(hunt->at.node, key));

	if (hunt->n && hunt->wants[hunt->n - 1].logical == want.logical)
		return;
	if (hunt->n == MOST_WANTS)
		ask(hunt);
	hunt->wants[hunt->n++] = want;
}

void tree_warm(const struct tree *tree, const struct key *keys, size_t n)
{
	struct leaf_hunt hunt = { .tree = tree };

	if (tree->level == 0)
		return;
	for (size_t i = 0; i < n; i++) {
		if (find_parent(&hunt, &keys[i]))
			break;
		add(&hunt, &keys[i]);
	}
	if (hunt.n)
		ask(&hunt);
	tree_place_clear(&hunt.at);
}
