#include "btrfs/tree/node_pool.h"
#include "base/lock.h"
#include <stdlib.h>

enum {
	MOST_POOLED = 64,	 /* buffers kept for the next blocks */
	BUFFER_ALIGNMENT = 4096, /* as O_DIRECT likes it */
};

struct NodePool {
	uint32_t node_size;
	pthread_mutex_t lock; /* protects the buffers */
	uint8_t *buffers[MOST_POOLED];
	size_t n_buffers;
};

NodePool *node_pool_new(uint32_t node_size)
{
	NodePool *pool = calloc(1, sizeof(*pool));

	if (!pool)
		return NULL;
	pool->node_size = node_size;
	pthread_mutex_init(&pool->lock, NULL);
	return pool;
}

void node_pool_free(NodePool *pool)
{
	if (!pool)
		return;
	while (pool->n_buffers > 0)
		free(pool->buffers[--pool->n_buffers]);
	pthread_mutex_destroy(&pool->lock);
	free(pool);
}

static uint8_t *buffer_take(NodePool *pool)
{
	{
		LOCK_SCOPE(&pool->lock);
		if (pool->n_buffers > 0)
			return pool->buffers[--pool->n_buffers];
	}
	return aligned_alloc(BUFFER_ALIGNMENT, pool->node_size);
}

static void buffer_give(NodePool *pool, uint8_t *buffer)
{
	{
		LOCK_SCOPE(&pool->lock);
		if (pool->n_buffers < MOST_POOLED) {
			pool->buffers[pool->n_buffers++] = buffer;
			return;
		}
	}
	free(buffer);
}

void cached_free(struct cached *entry)
{
	if (!entry)
		return;
	if (entry->buffer)
		buffer_give(entry->pool, entry->buffer);
	pthread_cond_destroy(&entry->settled);
	free(entry);
}

struct cached *cached_new(NodePool *pool, const struct node_want *want)
{
	struct cached *entry = calloc(1, sizeof(*entry));

	if (!entry)
		return NULL;
	pthread_cond_init(&entry->settled, NULL);
	entry->pool = pool;
	entry->want = *want;
	entry->buffer = buffer_take(pool);
	if (!entry->buffer) {
		cached_free(entry);
		return NULL;
	}
	entry->node.block = entry->buffer;
	entry->node.size = pool->node_size;
	entry->node.logical = want->logical;
	entry->node.generation = want->generation;
	return entry;
}

Node *node_ref(Node *node)
{
	atomic_fetch_add_explicit(&node->refs, 1, memory_order_relaxed);
	return node;
}

void node_unref(Node *node)
{
	if (node && atomic_fetch_sub_explicit(&node->refs, 1, memory_order_acq_rel) == 1)
		cached_free((struct cached *)node);
}
