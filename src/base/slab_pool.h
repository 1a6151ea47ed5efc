#pragma once
#include <glib.h>
#include <stddef.h>

/*
 * Buffers of one length that come and go: one that was given back is the next
 * to be taken.  They are cut from slabs of huge pages, since a page fault for
 * every 4 KiB costs more than filling them.  Any thread.
 *
 * A pool keeps what it has got from the system until it is freed: as much as
 * was in use at one time.
 */
typedef struct SlabPool SlabPool;

#define SLAB_POOL_ALIGN 4096u /* buffers whose length is a multiple begin at one */

SlabPool *slab_pool_new(size_t buffer_len);
/* NULL is fine; no buffer may be in use. */
void slab_pool_free(SlabPool *pool);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SlabPool, slab_pool_free)

size_t slab_pool_buffer_len(const SlabPool *pool);

void *slab_pool_take(SlabPool *pool); /* NULL without memory */
void slab_pool_give(SlabPool *pool, void *buffer);
