#include "btrfs/tree/node.h"

unsigned node_lower_bound(const Node *node, const struct key *key)
{
	unsigned low = 0, high = node->n_items;

	while (low < high) {
		const unsigned middle = low + (high - low) / 2;
		const struct key at = node_key(node, middle);

		if (key_compare(&at, key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
