#pragma once
#include "base/load_cache.h"
#include "base/span.h"
#include "send/wire/variant.h"

/*
 * The blocks of a plan, found by their offset in one of its streams: the first
 * ones in memory, the others in an unlinked file.
 *
 * One thread appends.  A const store may be read by any number of threads.
 */
typedef struct BlockStore BlockStore;

/* As plan_builder_new(). */
BlockStore *block_store_new(size_t memory_bytes, const char *spill_dir);
void block_store_free(BlockStore *store); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(BlockStore, block_store_free)

/* Copies a block that stands for the next @stream_len bytes of each stream.
 * -ENOMEM, or what opening or writing the file gave; then nothing was added. */
int block_store_append(BlockStore *store, struct span bytes, const struct per_variant *stream_len);

/* Of all blocks. */
uint64_t block_store_stream_len(const BlockStore *store, enum stream_variant variant);
/* Bytes, with the index and what is kept of the file at most; it changes only
 * by appending. */
uint64_t block_store_memory(const BlockStore *store);

struct stored_block {
	struct per_variant offset, stream_len; /* what it stands for */
	struct span bytes;
	Blob *blob; /* what @bytes are in, a reference for the caller; NULL:
		       they live as long as the store */
};

/* The block that holds byte @offset of the variant, its checksum and its table
 * checked.  -ERANGE: behind the end; -EIO, -EUCLEAN, -ENOMEM. */
int block_store_get(const BlockStore *store, enum stream_variant variant, uint64_t offset,
		    struct stored_block *ret);
