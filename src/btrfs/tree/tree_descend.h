#pragma once
#include "btrfs/tree/tree_cursor.h"

/* The block at @level (not above the root's) on the way from the root of @tree
 * to @key.  Errors of node_store_get(). */
int tree_descend(const struct tree *tree, const struct key *key, uint8_t level, Node **ret);
