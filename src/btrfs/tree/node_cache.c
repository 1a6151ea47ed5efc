#include "btrfs/tree/node_cache.h"
#include "base/lock.h"
#include "btrfs/tree/node_verify.h"
#include <stdlib.h>

enum {
	MOST_SHARDS = 16,
	LEAST_BLOCKS_PER_SHARD = 256,
	FIRST_BUCKETS = 64,
	MOST_USES = 3,
	MOST_EVICTION_STEPS = 256, /* for one block that arrives */
	ABSENT = 2,
};

struct queue {
	struct cached *newest, *oldest;
	size_t count;
};

struct shard {
	pthread_mutex_t lock; /* protects everything in the shard and its entries */
	struct cached **buckets;
	size_t n_buckets; /* a power of two */
	size_t n_entries; /* in the buckets, in any state */
	struct queue queues[NODE_N_QUEUES];
	struct node_cache_stats stats;
} __attribute__((aligned(64)));

struct NodeCache {
	NodePool *pool;
	size_t most_bytes;
	unsigned n_shards;  /* a power of two */
	size_t most_blocks; /* READY ones, in each shard */
	struct shard shards[];
};

static uint64_t hash_block(uint64_t logical, uint64_t generation)
{
	uint64_t h = (logical >> 12) ^ (generation * UINT64_C(0x9e3779b97f4a7c15));

	h = (h ^ (h >> 32)) * UINT64_C(0xd6e8feb86659fd93);
	h = (h ^ (h >> 32)) * UINT64_C(0xd6e8feb86659fd93);
	return h ^ (h >> 32);
}

static struct shard *shard_of(NodeCache *cache, uint64_t hash)
{
	return &cache->shards[(hash >> 56) & (cache->n_shards - 1)];
}

static uint64_t hash_entry(const struct cached *entry)
{
	return hash_block(entry->node.logical, entry->node.generation);
}

static bool entry_held(const struct cached *entry)
{
	return atomic_load_explicit(&entry->node.refs, memory_order_acquire) > 1;
}

/* The table of a shard */

static struct cached *table_find(const struct shard *shard, uint64_t hash,
				 const struct node_want *want)
{
	struct cached *entry = shard->buckets[hash & (shard->n_buckets - 1)];

	while (entry && (entry->node.logical != want->logical ||
			 entry->node.generation != want->generation))
		entry = entry->chain;
	return entry;
}

/* Without memory for a larger one the chains just get longer. */
static void table_grow(struct shard *shard)
{
	const size_t n = shard->n_buckets * 2;
	struct cached **buckets = calloc(n, sizeof(struct cached *));

	if (!buckets)
		return;
	for (size_t i = 0; i < shard->n_buckets; i++) {
		struct cached *next;

		for (struct cached *entry = shard->buckets[i]; entry; entry = next) {
			const uint64_t hash = hash_entry(entry);

			next = entry->chain;
			entry->chain = buckets[hash & (n - 1)];
			buckets[hash & (n - 1)] = entry;
		}
	}
	free(shard->buckets);
	shard->buckets = buckets;
	shard->n_buckets = n;
}

static void table_insert(struct shard *shard, uint64_t hash, struct cached *entry)
{
	struct cached **bucket;

	if (shard->n_entries >= shard->n_buckets)
		table_grow(shard);
	bucket = &shard->buckets[hash & (shard->n_buckets - 1)];
	entry->chain = *bucket;
	*bucket = entry;
	shard->n_entries++;
}

static void table_remove(struct shard *shard, struct cached *entry)
{
	const uint64_t hash = hash_entry(entry);
	struct cached **at = &shard->buckets[hash & (shard->n_buckets - 1)];

	while (*at != entry)
		at = &(*at)->chain;
	*at = entry->chain;
	shard->n_entries--;
}

/* Queues and eviction */

static void queue_push(struct shard *shard, enum node_queue which, struct cached *entry)
{
	struct queue *queue = &shard->queues[which];

	entry->queue = (uint8_t)which;
	entry->newer = NULL;
	entry->older = queue->newest;
	if (queue->newest)
		queue->newest->newer = entry;
	else
		queue->oldest = entry;
	queue->newest = entry;
	queue->count++;
}

static struct cached *queue_pop(struct queue *queue)
{
	struct cached *entry = queue->oldest;

	queue->oldest = entry->newer;
	if (queue->oldest)
		queue->oldest->older = NULL;
	else
		queue->newest = NULL;
	queue->count--;
	return entry;
}

static size_t shard_count(const struct shard *shard)
{
	size_t count = 0;

	for (unsigned i = 0; i < NODE_N_QUEUES; i++)
		count += shard->queues[i].count;
	return count;
}

/* Upper blocks may fill half of the space, fresh leaves a quarter before
 * others have to leave for them. */
static enum node_queue queue_to_shrink(const struct shard *shard, size_t most)
{
	const size_t upper = shard->queues[NODE_UPPER].count;
	const size_t fresh = shard->queues[NODE_FRESH].count;
	const size_t kept = shard->queues[NODE_KEPT].count;

	if (upper > most / 2)
		return NODE_UPPER;
	if (fresh > most / 4 || (fresh > 0 && kept == 0))
		return NODE_FRESH;
	return kept > 0 ? NODE_KEPT : NODE_UPPER;
}

/* Whether the block whose turn it is may stay; it is then queued anew. */
static bool stays(struct shard *shard, struct cached *entry)
{
	const enum node_queue queue = entry->queue;

	if (entry_held(entry)) {
		queue_push(shard, queue, entry);
		return true;
	}
	/* The first use of a fresh leaf is the one that it was read for. */
	if (entry->uses < (queue == NODE_FRESH ? 2 : 1))
		return false;
	entry->uses = 0;
	queue_push(shard, queue == NODE_UPPER ? NODE_UPPER : NODE_KEPT, entry);
	return true;
}

/* Takes out what is over the limit; a chain, for the caller to free when the
 * lock is dropped. */
static struct cached *shard_shrink(struct shard *shard, size_t most)
{
	struct cached *leaving = NULL;
	size_t count = shard_count(shard);

	for (unsigned step = 0; count > most && step < MOST_EVICTION_STEPS; step++) {
		struct cached *entry = queue_pop(&shard->queues[queue_to_shrink(shard, most)]);

		if (stays(shard, entry))
			continue;
		table_remove(shard, entry);
		entry->chain = leaving;
		leaving = entry;
		shard->stats.evictions++;
		count--;
	}
	return leaving;
}

static void chain_unref(struct cached *entry)
{
	while (entry) {
		struct cached *next = entry->chain;

		node_unref(&entry->node);
		entry = next;
	}
}

/* Finding and loading */

static bool same_want(const struct node_want *a, const struct node_want *b)
{
	return a->level == b->level && a->has_first_key == b->has_first_key &&
	       (!a->has_first_key || key_compare(&a->first_key, &b->first_key) == 0);
}

/*
 * Settles what is to be done with an entry that was found: as
 * node_cache_acquire(), or -EAGAIN to look again.  Called with the lock, with
 * a reference to @entry.
 */
static int entry_join(struct shard *shard, struct cached *entry, const struct node_want *want)
{
	if (entry->state == NODE_READY) {
		shard->stats.hits++;
		return 0;
	}
	if (entry->state == NODE_QUEUED) {
		shard->stats.misses++;
		entry->state = NODE_LOADING;
		entry->quiet = false;
		entry->want = *want;
		return 1;
	}
	while (entry->state == NODE_LOADING)
		pthread_cond_wait(&entry->settled, &shard->lock);
	if (entry->state == NODE_FAILED)
		return entry->quiet || !same_want(&entry->want, want) ? -EAGAIN : entry->error;
	shard->stats.misses++;
	return 0;
}

/* Looks a block up.  Where it is not there, *spare is entered and taken; ABSENT
 * without a spare. */
static int cache_try(NodeCache *cache, const struct node_want *want, struct cached **spare,
		     struct cached **ret)
{
	const uint64_t hash = hash_block(want->logical, want->generation);
	struct shard *shard = shard_of(cache, hash);
	LOCK_SCOPE(&shard->lock);
	struct cached *entry = table_find(shard, hash, want);

	if (entry) {
		node_ref(&entry->node);
		if (entry->uses < MOST_USES)
			entry->uses++;
		*ret = entry;
		return entry_join(shard, entry, want);
	}
	if (!*spare)
		return ABSENT;
	entry = g_steal_pointer(spare);
	atomic_init(&entry->node.refs, 2); /* the cache's, the caller's */
	entry->state = NODE_LOADING;
	entry->uses = 1;
	table_insert(shard, hash, entry);
	shard->stats.misses++;
	*ret = entry;
	return 1;
}

int node_cache_acquire(NodeCache *cache, const struct node_want *want, struct cached **ret)
{
	struct cached *spare = NULL, *entry = NULL;
	int r;

	for (;;) {
		r = cache_try(cache, want, &spare, &entry);
		if (r == ABSENT) {
			spare = cached_new(cache->pool, want);
			if (!spare)
				return -ENOMEM;
			continue;
		}
		if (r != -EAGAIN)
			break;
		node_unref(&g_steal_pointer(&entry)->node);
	}
	cached_free(spare);
	if (r == 0)
		r = node_match(&entry->node, want);
	if (r < 0) {
		node_unref(&entry->node);
		return r;
	}
	*ret = entry;
	return r;
}

bool node_cache_knows(NodeCache *cache, const struct node_want *want)
{
	const uint64_t hash = hash_block(want->logical, want->generation);
	struct shard *shard = shard_of(cache, hash);
	LOCK_SCOPE(&shard->lock);

	return table_find(shard, hash, want) != NULL;
}

struct cached *node_cache_peek(NodeCache *cache, const struct node_want *want)
{
	const uint64_t hash = hash_block(want->logical, want->generation);
	struct shard *shard = shard_of(cache, hash);
	LOCK_SCOPE(&shard->lock);
	struct cached *entry = table_find(shard, hash, want);

	if (!entry || entry->state != NODE_READY)
		return NULL;
	node_ref(&entry->node);
	return entry;
}

int node_cache_reserve(NodeCache *cache, const struct node_want *want, struct cached **ret)
{
	const uint64_t hash = hash_block(want->logical, want->generation);
	struct shard *shard = shard_of(cache, hash);
	struct cached *entry = cached_new(cache->pool, want);

	if (!entry)
		return -ENOMEM;
	atomic_init(&entry->node.refs, 2);
	entry->state = NODE_QUEUED;
	entry->quiet = true;
	{
		LOCK_SCOPE(&shard->lock);
		if (!table_find(shard, hash, want)) {
			table_insert(shard, hash, entry);
			*ret = entry;
			return 1;
		}
	}
	cached_free(entry);
	return 0;
}

bool node_cache_claim(NodeCache *cache, struct cached *entry)
{
	struct shard *shard = shard_of(cache, hash_entry(entry));
	LOCK_SCOPE(&shard->lock);

	if (entry->state != NODE_QUEUED)
		return false;
	entry->state = NODE_LOADING;
	return true;
}

/* Fields of struct btrfs_header (linux/btrfs_tree.h). */
static void entry_describe(struct cached *entry)
{
	entry->node.owner = load_le64(entry->buffer + 88);
	entry->node.n_items = load_le32(entry->buffer + 96);
	entry->node.level = entry->buffer[100];
}

void node_cache_settle(NodeCache *cache, struct cached *entry, int error)
{
	struct shard *shard = shard_of(cache, hash_entry(entry));
	struct cached *leaving = NULL;

	if (error == 0)
		entry_describe(entry);
	{
		LOCK_SCOPE(&shard->lock);
		if (error == 0) {
			entry->state = NODE_READY;
			queue_push(shard, entry->node.level ? NODE_UPPER : NODE_FRESH, entry);
			leaving = shard_shrink(shard, cache->most_blocks);
		} else {
			entry->state = NODE_FAILED;
			entry->error = error;
			table_remove(shard, entry);
			entry->chain = NULL;
			leaving = entry;
		}
		pthread_cond_broadcast(&entry->settled);
	}
	chain_unref(leaving);
}

/* The cache as a whole */

static bool shard_init(struct shard *shard)
{
	pthread_mutex_init(&shard->lock, NULL);
	shard->n_buckets = FIRST_BUCKETS;
	shard->buckets = calloc(shard->n_buckets, sizeof(struct cached *));
	return shard->buckets != NULL;
}

static void shard_clear(struct shard *shard)
{
	for (size_t i = 0; shard->buckets && i < shard->n_buckets; i++)
		chain_unref(shard->buckets[i]);
	free(shard->buckets);
	pthread_mutex_destroy(&shard->lock);
}

NodeCache *node_cache_new(uint32_t node_size, size_t most_bytes)
{
	const size_t most_blocks = most_bytes / (node_size + sizeof(struct cached));
	unsigned n_shards = 1;
	NodeCache *cache;

	while (n_shards < MOST_SHARDS && most_blocks / (n_shards * 2) >= LEAST_BLOCKS_PER_SHARD)
		n_shards *= 2;
	cache = aligned_alloc(64, sizeof(*cache) + n_shards * sizeof(struct shard));
	if (!cache)
		return NULL;
	memset(cache, 0, sizeof(*cache) + n_shards * sizeof(struct shard));
	cache->most_bytes = most_bytes;
	cache->n_shards = n_shards;
	cache->most_blocks = most_blocks / n_shards;
	cache->pool = node_pool_new(node_size);

	bool complete = cache->pool != NULL;

	for (unsigned i = 0; i < n_shards; i++)
		complete = shard_init(&cache->shards[i]) && complete;
	if (!complete) {
		node_cache_free(cache);
		return NULL;
	}
	return cache;
}

void node_cache_free(NodeCache *cache)
{
	if (!cache)
		return;
	for (unsigned i = 0; i < cache->n_shards; i++)
		shard_clear(&cache->shards[i]);
	node_pool_free(cache->pool);
	free(cache);
}

struct node_cache_stats node_cache_stats(NodeCache *cache)
{
	struct node_cache_stats sum = { 0 };

	for (unsigned i = 0; i < cache->n_shards; i++) {
		struct shard *shard = &cache->shards[i];
		LOCK_SCOPE(&shard->lock);

		sum.hits += shard->stats.hits;
		sum.misses += shard->stats.misses;
		sum.evictions += shard->stats.evictions;
	}
	return sum;
}

size_t node_cache_count(NodeCache *cache)
{
	size_t count = 0;

	for (unsigned i = 0; i < cache->n_shards; i++) {
		struct shard *shard = &cache->shards[i];
		LOCK_SCOPE(&shard->lock);

		count += shard_count(shard);
	}
	return count;
}

size_t node_cache_limit(const NodeCache *cache)
{
	return cache->most_bytes;
}
