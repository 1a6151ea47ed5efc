#pragma once
#include "send/plan/record.h"

/*
 * A block: records and the table of its segments, as docs/plan-format.md has
 * it.  A segment is one chunk, or one data run too long for a chunk.
 */
#define BLOCK_TABLE_ENTRY (8u * STREAM_VARIANTS + 4u)
#define BLOCK_TAIL 4u

struct block {
	struct span records;
	const uint8_t *table;
	uint32_t n_segments;
	struct per_variant stream_len; /* bytes of each stream that it stands for */
};

struct segment {
	uint64_t offset; /* in the part of one stream that the block stands for */
	uint64_t len;	 /* bytes of the stream */
	struct span records;
};

void block_put_table_entry(uint8_t at[BLOCK_TABLE_ENTRY], const struct per_variant *offset,
			   uint32_t position);

/* -EUCLEAN if the table does not fit into @bytes. */
int block_open(struct span bytes, const struct per_variant *stream_len, struct block *ret);

/* Whether all of the table makes sense: 0 or -EUCLEAN.  block_find() needs it. */
int block_check(const struct block *block);

/* The segment that holds byte @offset (below stream_len) of the variant's part
 * of the block. */
struct segment block_find(const struct block *block, enum stream_variant variant, uint64_t offset);
