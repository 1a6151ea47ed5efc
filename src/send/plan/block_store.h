#pragma once
#include "base/load_cache.h"
#include "base/span.h"

/*
 * The blocks of a plan, found by their offset in the stream: the first ones
 * in memory, the others in an unlinked file.
 *
 * One thread appends.  A const store may be read by any number of threads.
 */
typedef struct BlockStore BlockStore;

/* As plan_builder_new(). */
BlockStore *block_store_new(size_t memory_bytes, const char *spill_dir);
void block_store_free(BlockStore *store); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(BlockStore, block_store_free)

/* Copies a block that stands for the next @stream_len bytes of the stream.
 * -ENOMEM, or what opening or writing the file gave; then nothing was added. */
int block_store_append(BlockStore *store, struct span bytes, uint64_t stream_len);

uint64_t block_store_stream_len(const BlockStore *store); /* of all blocks */
/* Bytes, with the index and what is kept of the file at most; it changes only
 * by appending. */
uint64_t block_store_memory(const BlockStore *store);

struct stored_block {
	uint64_t offset, stream_len; /* what it stands for */
	struct span bytes;
	Blob *blob; /* what @bytes are in, a reference for the caller; NULL:
		       they live as long as the store */
};

/* The block that holds byte @offset of the stream, its checksum and its table
 * checked.  -ERANGE: behind the end; -EIO, -EUCLEAN, -ENOMEM. */
int block_store_get(const BlockStore *store, uint64_t offset, struct stored_block *ret);
