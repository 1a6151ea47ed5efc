#include "btrfs/tree/node_store.h"
#include "base/cause.h"
#include "base/error.h"
#include "base/lock.h"
#include "btrfs/tree/node_load.h"
#include "btrfs/tree/node_verify.h"
#include <inttypes.h>
#include <stdlib.h>

/* Blocks that are remembered as told of. */
#define TOLD_MOST 4096u

NodeStore *node_store_new(Volume *volume, const struct node_format *format, size_t cache_bytes,
			  size_t readahead_bytes, Workers *workers, Log *log)
{
	NodeStore *store = calloc(1, sizeof(*store));

	if (!store)
		return NULL;
	store->volume = volume;
	store->workers = workers;
	store->log = log;
	store->format = *format;
	store->most_ahead = workers ? readahead_bytes : 0;
	pthread_mutex_init(&store->lock, NULL);
	pthread_cond_init(&store->no_jobs, NULL);
	store->told = seen_new(TOLD_MOST);
	store->cache = node_cache_new(format->node_size, cache_bytes);
	if (!store->cache) {
		node_store_free(store);
		return NULL;
	}
	return store;
}

static void wait_for_jobs(NodeStore *store)
{
	LOCK_SCOPE(&store->lock);

	while (store->n_jobs > 0)
		pthread_cond_wait(&store->no_jobs, &store->lock);
}

void node_store_free(NodeStore *store)
{
	if (!store)
		return;
	wait_for_jobs(store);
	node_cache_free(store->cache);
	seen_free(store->told);
	pthread_cond_destroy(&store->no_jobs);
	pthread_mutex_destroy(&store->lock);
	free(store);
}

int node_store_get(NodeStore *store, const struct node_want *want, Node **ret)
{
	struct cached *entry;
	int r;

	if (want->level >= NODE_N_LEVELS)
		return -EUCLEAN;
	r = node_cache_acquire(store->cache, want, &entry);
	if (r < 0) {
		cause_set("tree block %" PRIu64 " of level %u (%s)", want->logical, want->level,
			  error_text(r));
		return r;
	}
	if (r == 1) {
		r = node_load(store, want, entry->buffer);
		node_cache_settle(store->cache, entry, r);
	}
	if (r < 0) {
		node_unref(&entry->node);
		return r;
	}
	*ret = &entry->node;
	return 0;
}

Node *node_store_peek(NodeStore *store, const struct node_want *want)
{
	struct cached *entry = node_cache_peek(store->cache, want);
	g_autoptr(Node) node = entry ? &entry->node : NULL;

	return node && node_match(node, want) == 0 ? g_steal_pointer(&node) : NULL;
}

size_t node_store_readahead_window(const NodeStore *store, size_t most_bytes)
{
	/* Blocks must not be displaced before they have been used. */
	const size_t most = MIN(store->most_ahead, node_cache_limit(store->cache) / 4);

	return MIN(most, most_bytes) / store->format.node_size;
}

struct node_store_stats node_store_stats(NodeStore *store)
{
	const struct node_cache_stats cache = node_cache_stats(store->cache);

	return (struct node_store_stats){
		.hits = cache.hits,
		.misses = cache.misses,
		.evictions = cache.evictions,
		.blocks_read = store->blocks_read,
		.requests = store->requests,
		.queued = store->queued,
		.prefetched = store->prefetched,
	};
}
