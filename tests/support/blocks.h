#pragma once
#include "base/span.h"
#include "btrfs/ondisk/key.h"
#include <glib.h>

/* What all tree blocks of a file system share. */
struct block_format {
	uint32_t node_size;
	uint16_t csum_type;
	uint8_t fsid[16]; /* in headers: the metadata UUID */
	uint8_t chunk_tree_uuid[16];
};

struct block_head {
	uint64_t logical, generation, owner;
	uint8_t level;
};

struct block_item {
	struct key key;
	struct span data;
};

struct block_pointer {
	struct key key; /* the first of the block it leads to */
	uint64_t logical, generation;
};

/* crc32c and made-up UUIDs, the fsid that of example_super(). */
struct block_format example_format(uint32_t node_size);

/* Does @n_items with @data_len bytes in all fit in one leaf? */
bool leaf_fits(const struct block_format *format, size_t n_items, size_t data_len);
size_t node_pointers_most(const struct block_format *format);

/* Sound blocks of node_size bytes, with checksum; freed with g_free().
 * @items or @pointers are put in as they come, sorted or not. */
uint8_t *build_leaf(const struct block_format *format, const struct block_head *head,
		    const struct block_item *items, size_t n);
uint8_t *build_node(const struct block_format *format, const struct block_head *head,
		    const struct block_pointer *pointers, size_t n);
/* Puts the right checksum on a block that was changed on purpose. */
void block_seal(const struct block_format *format, uint8_t *block);
