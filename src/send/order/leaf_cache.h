#pragma once
#include "base/span.h"

/*
 * The list of 128 leaves whose clone roots are known: docs/send-order.md, 12.5.
 * Which leaves are in it decides the stream, so size and order of eviction are
 * part of the format.  It is asked for every user of every extent item, mostly
 * in vain: that costs one look into a small table.
 *
 * Plain data: an assignment copies it.
 */
#define LEAF_CACHE_LEAVES 128u
#define LEAF_CACHE_ROOTS 17u /* a leaf with more is not stored */
#define LEAF_CACHE_BUCKETS 4096u
#define LEAF_CACHE_NONE UINT8_MAX

struct leaf_roots {
	uint32_t n;
	uint32_t roots[LEAF_CACHE_ROOTS]; /* indexes of clone roots */
};

struct leaf_cache {
	struct {
		uint64_t leaf;
		uint8_t next; /* in its bucket */
		uint8_t newer, older;
		struct leaf_roots roots;
	} entries[LEAF_CACHE_LEAVES];
	uint8_t n, newest, oldest;
	uint8_t buckets[LEAF_CACHE_BUCKETS]; /* the first entry of each */
};

void leaf_cache_init(struct leaf_cache *cache);

/* Makes the leaf the last one used; NULL if it is not there.  *ret lives until
 * the next one is stored. */
const struct leaf_roots *leaf_cache_get(struct leaf_cache *cache, uint64_t leaf);

/* A leaf that is not there, and at most LEAF_CACHE_ROOTS roots.  The one used
 * longest ago makes room. */
void leaf_cache_put(struct leaf_cache *cache, uint64_t leaf, const uint32_t *roots, uint32_t n);
