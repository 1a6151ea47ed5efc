#pragma once
#include "btrfs/tree/node_store.h"
#include <pthread.h>

/*
 * Where nodes live: entries of the cache and their block buffers.  Buffers
 * that are free are kept for the next blocks.  Any thread.
 */
typedef struct NodePool NodePool;

enum node_state { NODE_QUEUED, NODE_LOADING, NODE_READY, NODE_FAILED };
enum node_queue { NODE_UPPER, NODE_FRESH, NODE_KEPT, NODE_N_QUEUES };

/* A Node and its place in a NodeCache.  @node.refs counts the cache's
 * own reference too; node.logical and node.generation never change. */
struct cached {
	Node node; /* first: a Node is cast back */
	NodePool *pool;
	uint8_t *buffer; /* node.block, writable until READY */
	/* The rest is under the lock of the shard. */
	struct cached *chain;
	struct cached *newer, *older;
	enum node_state state;
	uint8_t queue;
	uint8_t uses;
	bool quiet; /* its loader has no caller to tell of an error */
	int error;
	struct node_want want; /* as its loader has it */
	pthread_cond_t settled;
};

/* NULL without memory. */
NodePool *node_pool_new(uint32_t node_size);
/* NULL is fine; no Node may be left. */
void node_pool_free(NodePool *pool);

/* An entry with a buffer, for the block of @want; NULL without memory.  Its
 * last node_unref() frees it, or cached_free() before it has references. */
struct cached *cached_new(NodePool *pool, const struct node_want *want);
void cached_free(struct cached *entry); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NodePool, node_pool_free)
