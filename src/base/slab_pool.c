#include "base/slab_pool.h"
#include "base/lock.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#define HUGE_PAGE ((size_t)2 * 1024 * 1024)
#define LEAST_IN_SLAB 8u

/* Written over the beginning of a buffer that is not in use. */
struct unused {
	struct unused *next;
};

struct slab {
	struct slab *next;
	uint8_t *data;
};

struct SlabPool {
	size_t buffer_len, slab_len, align;
	pthread_mutex_t lock; /* protects what follows */
	struct unused *unused;
	struct slab *slabs;
	size_t n_uncut; /* buffers at the end of the newest slab */
};

static size_t round_up(size_t len, size_t to)
{
	return (len + to - 1) / to * to;
}

/* The address sanitizer is given each buffer alone. */
static void set_slab_len(SlabPool *pool)
{
#ifdef __SANITIZE_ADDRESS__
	pool->align = SLAB_POOL_ALIGN;
	pool->slab_len = round_up(pool->buffer_len, SLAB_POOL_ALIGN);
#else
	pool->align = HUGE_PAGE;
	pool->slab_len = round_up(pool->buffer_len * LEAST_IN_SLAB, HUGE_PAGE);
#endif
}

SlabPool *slab_pool_new(size_t buffer_len)
{
	SlabPool *pool = g_new0(SlabPool, 1);

	pool->buffer_len = round_up(MAX(buffer_len, sizeof(struct unused)), sizeof(struct unused));
	set_slab_len(pool);
	pthread_mutex_init(&pool->lock, NULL);
	return pool;
}

void slab_pool_free(SlabPool *pool)
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
	g_free(pool);
}

size_t slab_pool_buffer_len(const SlabPool *pool)
{
	return pool->buffer_len;
}

static bool slab_add(SlabPool *pool)
{
	struct slab *slab = malloc(sizeof(*slab));

	if (!slab)
		return false;
	slab->data = aligned_alloc(pool->align, pool->slab_len);
	if (!slab->data) {
		free(slab);
		return false;
	}
	madvise(slab->data, pool->slab_len, MADV_HUGEPAGE);
	slab->next = pool->slabs;
	pool->slabs = slab;
	pool->n_uncut = pool->slab_len / pool->buffer_len;
	return true;
}

void *slab_pool_take(SlabPool *pool)
{
	LOCK_SCOPE(&pool->lock);

	if (pool->unused) {
		struct unused *buffer = pool->unused;

		pool->unused = buffer->next;
		return buffer;
	}
	if (pool->n_uncut == 0 && !slab_add(pool))
		return NULL;
	pool->n_uncut--;
	return pool->slabs->data + pool->n_uncut * pool->buffer_len;
}

void slab_pool_give(SlabPool *pool, void *buffer)
{
	struct unused *unused = buffer;
	LOCK_SCOPE(&pool->lock);

	unused->next = pool->unused;
	pool->unused = unused;
}
