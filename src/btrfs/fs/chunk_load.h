#pragma once
#include "btrfs/ondisk/super.h"
#include "btrfs/tree/node_store.h"

/*
 * The chunk map of the file system that @super describes, sealed: the
 * superblock's own chunks, then the chunk tree's, read through @nodes, whose
 * volume must be able to read it.  Blocks are read ahead by what their parents
 * say.  @dev_items: struct dev_item, to which the tree's devices are added.
 * Otherwise the errors of node_store_get() and chunk_map_add(), and in *error
 * what is wrong, without naming the file system.
 */
int chunk_load_tree(const struct super *super, NodeStore *nodes, GArray *dev_items,
		    ChunkMap **ret, GError **error);
