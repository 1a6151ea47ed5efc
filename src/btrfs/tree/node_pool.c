#include "btrfs/tree/node_pool.h"
#include "base/slab_pool.h"
#include <stdlib.h>
#include <string.h>

struct NodePool {
	uint32_t node_size;
	SlabPool *entries, *buffers;
};

NodePool *node_pool_new(uint32_t node_size)
{
	NodePool *pool = calloc(1, sizeof(*pool));

	if (!pool)
		return NULL;
	pool->node_size = node_size;
	pool->entries = slab_pool_new(sizeof(struct cached));
	pool->buffers = slab_pool_new(node_size);
	return pool;
}

void node_pool_free(NodePool *pool)
{
	if (!pool)
		return;
	slab_pool_free(pool->entries);
	slab_pool_free(pool->buffers);
	free(pool);
}

void cached_free(struct cached *entry)
{
	if (!entry)
		return;
	if (entry->buffer)
		slab_pool_give(entry->pool->buffers, entry->buffer);
	pthread_cond_destroy(&entry->settled);
	slab_pool_give(entry->pool->entries, entry);
}

struct cached *cached_new(NodePool *pool, const struct node_want *want)
{
	struct cached *entry = slab_pool_take(pool->entries);

	if (!entry)
		return NULL;
	memset(entry, 0, sizeof(*entry));
	pthread_cond_init(&entry->settled, NULL);
	entry->pool = pool;
	entry->want = *want;
	entry->buffer = slab_pool_take(pool->buffers);
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
