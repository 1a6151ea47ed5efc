#pragma once
#include "base/slab_pool.h"
#include <glib.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that were made once and are shared by reference counting.  Who makes
 * a blob may change it until it gives it away; afterwards nobody may. */
typedef struct Blob {
	atomic_uint refs;
	SlabPool *pool; /* that it goes back to; NULL: to the allocator */
	int error;  /* what ended it early: the bytes before are good; 0: complete */
	size_t len;  /* bytes that are good */
	size_t room; /* what there is memory for, which is what counts in a cache */
	uint8_t bytes[];
} Blob;

/* @len bytes, unset, or NULL without memory. */
Blob *blob_new(size_t len);
/* The same in a buffer of @pool, which must outlive it, where that does not waste
 * more than half of one. */
Blob *blob_new_in(SlabPool *pool, size_t len);
Blob *blob_ref(Blob *blob);
void blob_unref(Blob *blob); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Blob, blob_unref)

/*
 * Blobs by key and generation, each made once whoever asks: a second asker
 * waits for the first one's blob, and for that alone.  The least recently
 * used leave when their bytes pass the limit.
 *
 * Any thread; no lock is held while a blob is made.
 */
typedef struct LoadCache LoadCache;

/* @most_bytes 0: nothing is kept, but those who ask at the same time share. */
LoadCache *load_cache_new(size_t most_bytes);
void load_cache_free(LoadCache *cache); /* NULL is fine; nobody may be using it */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LoadCache, load_cache_free)

/* Makes a blob, or returns a negative errno.  Must not ask @cache for the
 * same key again. */
typedef int (*load_fn)(void *user, Blob **ret);

/*
 * Gives a reference to the blob of @key, made by @load if it is not there.
 * An error of @load goes to all who wait for it and is not remembered; a blob
 * whose error is set is shared with them and not kept either.
 */
int load_cache_get(LoadCache *cache, uint64_t key, uint64_t generation, load_fn load, void *user,
		   Blob **ret);

/* Forgets all blobs of @generation that are kept. */
void load_cache_drop(LoadCache *cache, uint64_t generation);

struct load_cache_stats {
	uint64_t hits, shared, loads; /* kept already; waited for; made */
	size_t bytes;		      /* kept now */
};

struct load_cache_stats load_cache_stats(LoadCache *cache);
