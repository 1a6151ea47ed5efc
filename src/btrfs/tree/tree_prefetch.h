#pragma once
#include "btrfs/tree/tree_cursor.h"

/*
 * Begins to read the leaves that hold @keys, where they are not in memory, and
 * returns.  Nodes above the leaves are waited for.  Only a hint: whatever goes
 * wrong shows when the keys are looked for.  Keys in ascending order cost least.
 */
void tree_prefetch(const struct tree *tree, const struct key *keys, size_t n);
