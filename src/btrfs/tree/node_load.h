#pragma once
#include "base/seen.h"
#include "btrfs/tree/node_cache.h"

#define SUSPECTS_MOST 64u

/* A block of which a copy was no good and a later one was. */
struct suspect {
	struct node_want want;
	unsigned good; /* the number of that copy */
};

/* Inside of a NodeStore; see node_store.h. */
struct NodeStore {
	Volume *volume;
	Workers *workers; /* may be NULL */
	Log *log;	  /* may be NULL */
	struct node_format format;
	NodeCache *cache;
	size_t most_ahead;	/* bytes */
	atomic_size_t ahead;	/* bytes that are queued or being read ahead */
	pthread_mutex_t lock;	/* protects n_jobs and suspects */
	pthread_cond_t no_jobs;
	size_t n_jobs; /* with the workers */
	struct suspect suspects[SUSPECTS_MOST];
	atomic_uint n_suspects; /* changed with the lock */
	Seen *told;		/* the suspects that were bad */
	atomic_uint_fast64_t blocks_read, requests, queued, prefetched;
};

/* Reads one block and verifies it, copy after copy until one is good.
 * Returns as node_store_get(), with the cause. */
int node_load(NodeStore *store, const struct node_want *want, uint8_t *buffer);
