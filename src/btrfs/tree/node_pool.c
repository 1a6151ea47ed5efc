#include "btrfs/tree/node_pool.h"
#include "base/lock.h"
#include <stdlib.h>
#include <sys/mman.h>

/*
 * Buffers are cut from slabs of the size and alignment of a huge page: what
 * a page fault costs for every 4 KiB is more than all other work on a block.
 * The address sanitizer is given each buffer alone.
 */
#ifdef __SANITIZE_ADDRESS__
#define SLAB_LEN 1u
#else
#define SLAB_LEN (2u * 1024 * 1024)
#endif
#define LEAST_ALIGNMENT 4096u /* as O_DIRECT likes it */

/* Written over the beginning of a buffer that is not in use. */
struct unused {
	struct unused *next;
};

struct slab {
	struct slab *next;
	uint8_t *data;
};

struct NodePool {
	uint32_t node_size;
	pthread_mutex_t lock; /* protects what follows */
	struct unused *unused;
	struct slab *slabs;
	size_t n_uncut; /* buffers at the end of the newest slab */
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
	while (pool->slabs) {
		struct slab *slab = pool->slabs;

		pool->slabs = slab->next;
		free(slab->data);
		free(slab);
	}
	pthread_mutex_destroy(&pool->lock);
	free(pool);
}

static size_t buffers_in_slab(const NodePool *pool)
{
	return MAX(SLAB_LEN / pool->node_size, 1u);
}

static bool slab_add(NodePool *pool)
{
	const size_t len = buffers_in_slab(pool) * pool->node_size;
	struct slab *slab = malloc(sizeof(*slab));

	if (!slab)
		return false;
	slab->data = aligned_alloc(MAX(SLAB_LEN, LEAST_ALIGNMENT), len);
	if (!slab->data) {
		free(slab);
		return false;
	}
	madvise(slab->data, len, MADV_HUGEPAGE);
	slab->next = pool->slabs;
	pool->slabs = slab;
	pool->n_uncut = buffers_in_slab(pool);
	return true;
}

static uint8_t *buffer_take(NodePool *pool)
{
	LOCK_SCOPE(&pool->lock);

	if (pool->unused) {
		struct unused *buffer = pool->unused;

		pool->unused = buffer->next;
		return (uint8_t *)buffer;
	}
	if (pool->n_uncut == 0 && !slab_add(pool))
		return NULL;
	pool->n_uncut--;
	return pool->slabs->data + pool->n_uncut * pool->node_size;
}

static void buffer_give(NodePool *pool, uint8_t *buffer)
{
	struct unused *unused = (struct unused *)buffer;
	LOCK_SCOPE(&pool->lock);

	unused->next = pool->unused;
	pool->unused = unused;
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
