#include "send/order/leaf_cache.h"

void leaf_cache_init(struct leaf_cache *cache)
{
	*cache = (struct leaf_cache){ .newest = LEAF_CACHE_NONE, .oldest = LEAF_CACHE_NONE };
	memset(cache->buckets, LEAF_CACHE_NONE, sizeof(cache->buckets));
}

/* Addresses in steps of a node; Fibonacci hashing. */
static uint8_t *bucket_of(struct leaf_cache *cache, uint64_t leaf)
{
	return &cache->buckets[leaf * UINT64_C(0x9e3779b97f4a7c15) >> 52];
}
_Static_assert(LEAF_CACHE_BUCKETS == 1 << (64 - 52), "bucket_of() counts on it");

static void link_newest(struct leaf_cache *cache, uint8_t at)
{
	cache->entries[at].newer = LEAF_CACHE_NONE;
	cache->entries[at].older = cache->newest;
	if (cache->newest == LEAF_CACHE_NONE)
		cache->oldest = at;
	else
		cache->entries[cache->newest].newer = at;
	cache->newest = at;
}

static void unlink_entry(struct leaf_cache *cache, uint8_t at)
{
	const uint8_t newer = cache->entries[at].newer, older = cache->entries[at].older;

	if (newer == LEAF_CACHE_NONE)
		cache->newest = older;
	else
		cache->entries[newer].older = older;
	if (older == LEAF_CACHE_NONE)
		cache->oldest = newer;
	else
		cache->entries[older].newer = newer;
}

const struct leaf_roots *leaf_cache_get(struct leaf_cache *cache, uint64_t leaf)
{
	uint8_t at = *bucket_of(cache, leaf);

	while (at != LEAF_CACHE_NONE && cache->entries[at].leaf != leaf)
		at = cache->entries[at].next;
	if (at == LEAF_CACHE_NONE)
		return NULL;
	if (at != cache->newest) {
		unlink_entry(cache, at);
		link_newest(cache, at);
	}
	return &cache->entries[at].roots;
}

static uint8_t evict_oldest(struct leaf_cache *cache)
{
	const uint8_t at = cache->oldest;
	uint8_t *link = bucket_of(cache, cache->entries[at].leaf);

	while (*link != at)
		link = &cache->entries[*link].next;
	*link = cache->entries[at].next;
	unlink_entry(cache, at);
	return at;
}

void leaf_cache_put(struct leaf_cache *cache, uint64_t leaf, const uint32_t *roots, uint32_t n)
{
	const uint8_t at = cache->n < LEAF_CACHE_LEAVES ? cache->n++ : evict_oldest(cache);
	uint8_t *bucket = bucket_of(cache, leaf);

	cache->entries[at].leaf = leaf;
	cache->entries[at].roots.n = n;
	if (n)
		memcpy(cache->entries[at].roots.roots, roots, n * sizeof(*roots));
	cache->entries[at].next = *bucket;
	*bucket = at;
	link_newest(cache, at);
}
