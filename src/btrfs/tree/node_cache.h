#pragma once
#include "btrfs/tree/node_pool.h"

/*
 * The blocks in memory and those on their way there: the inside of a
 * NodeStore.
 *
 * A block is found by (logical, generation).  It is in one of these states:
 *
 *	QUEUED   -> LOADING -> READY        in the cache
 *	                    `-> FAILED      not in the cache any more
 *
 * QUEUED blocks wait for a worker; whoever needs one sooner takes it over, so
 * nobody ever waits for a place in a queue.  READY blocks stand in one of
 * three queues.  A hit only counts a use; what uses are worth is decided when
 * space is needed:
 *
 *	UPPER  above the leaves: leave last, and then those not used lately
 *	FRESH  leaves; move to KEPT when their turn comes, if used again since
 *	       they arrived, so that a walk over a large tree passes through
 *	       here and displaces nothing else
 *	KEPT   leaves; leave when not used since their last turn
 *
 * The cache is cut into shards by address, each with its own lock and share
 * of the limit.  Locks are never nested and never held over I/O or memory
 * allocation.
 */
typedef struct NodeCache NodeCache;

NodeCache *node_cache_new(uint32_t node_size, size_t most_bytes);
void node_cache_free(NodeCache *cache); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NodeCache, node_cache_free)

/*
 * Gives a reference to the entry of a block.  One that somebody else reads is
 * waited for.
 *   0          *ret is READY, and is what @want says
 *   1          *ret is LOADING: the caller fills ret->buffer and calls
 *              node_cache_settle()
 *   -ENOMEM, -EUCLEAN (not what @want says), or the error of who read it
 */
int node_cache_acquire(NodeCache *cache, const struct node_want *want, struct cached **ret);

/* Whether the block is in memory or under way. */
bool node_cache_knows(NodeCache *cache, const struct node_want *want);

/* A reference to the block if it is READY, or NULL; counts as no use. */
struct cached *node_cache_peek(NodeCache *cache, const struct node_want *want);

/* Enters a block as QUEUED: 1 and a reference to it.  0 if it is in memory or
 * under way already; -ENOMEM. */
int node_cache_reserve(NodeCache *cache, const struct node_want *want, struct cached **ret);

/* Makes a QUEUED block LOADING, for who reserved it; false if somebody has
 * taken it over. */
bool node_cache_claim(NodeCache *cache, struct cached *entry);

/* Makes a LOADING block READY (@error 0: the buffer holds a verified block)
 * or FAILED, and wakes who waits for it. */
void node_cache_settle(NodeCache *cache, struct cached *entry, int error);

struct node_cache_stats {
	uint64_t hits, misses, evictions;
};

struct node_cache_stats node_cache_stats(NodeCache *cache);
size_t node_cache_limit(const NodeCache *cache); /* bytes */
/* Blocks that are READY, whether held or not. */
size_t node_cache_count(NodeCache *cache);
