#pragma once
#include "btrfs/tree/tree_cursor.h"

/*
 * Reads the leaves that hold @keys, where they are not in memory, neighbours in
 * one request.  Only a hint: whatever goes wrong shows when the keys are looked
 * for.  Keys in ascending order cost least.
 */
void tree_warm(const struct tree *tree, const struct key *keys, size_t n);
