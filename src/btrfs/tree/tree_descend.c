#include "btrfs/tree/tree_descend.h"
#include "btrfs/tree/tree_place.h"

int tree_descend(const struct tree *tree, const struct key *key, uint8_t level, Node **ret)
{
	struct tree_place at;
	int r = tree_place_root(tree, &at);

	if (r)
		return r;
	while (r == 0 && at.node->level > level && at.node->n_items > 0) {
		struct tree_place above = at;

		above.slot = tree_place_slot_for(above.node, key);
		r = tree_place_child(tree->store, &above, &at);
		if (r == 0)
			tree_place_clear(&above);
	}
	if (r == 0 && at.node->level == level)
		*ret = node_ref(at.node);
	else if (r == 0)
		r = -EUCLEAN;
	tree_place_clear(&at);
	return r;
}
