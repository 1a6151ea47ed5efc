#pragma once
#include "support/fs_image.h"

/*
 * The extent tree that belongs to the subvolume trees of an image: an item for
 * each extent and for each block of these trees, with keyed references as the
 * kernel gives them: of data by the owner of the leaf, of blocks by the owner
 * of the parent, each leaf and parent counted once whoever shares it.
 */
ItemSet *extent_items_of(const FsImage *fs);

struct extent_at {
	uint64_t logical, generation;
	int level; /* of a tree block; -1: data */
};

/* The item of one extent.  @refs: what put_..._ref() wrote; @count: what the
 * item says, right or not.  Keyed references of data beyond some get items of
 * their own. */
void put_extent_item(ItemSet *items, const struct extent_at *at, uint64_t count,
		     struct span refs);
/* Inline references. */
void put_data_ref(GByteArray *to, uint64_t root, uint64_t ino, uint64_t offset, uint32_t count);
void put_shared_data_ref(GByteArray *to, uint64_t leaf, uint32_t count);
void put_block_ref(GByteArray *to, uint64_t root);
void put_shared_block_ref(GByteArray *to, uint64_t parent);

/* Writes the extent tree for the next commit. */
void fs_image_put_extent_tree(FsImage *fs, const ItemSet *items);
