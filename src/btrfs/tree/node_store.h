#pragma once
#include "base/log.h"
#include "base/workers.h"
#include "btrfs/tree/node.h"
#include "btrfs/volume/volume.h"

/*
 * Tree blocks by address: read once, verified once, shared by everyone.
 *
 * Any thread may use a store at any time.  No lock is held while a device is
 * read: a second asker for a block that is being read waits for that block
 * alone.  Blocks stay in memory while somebody holds a reference or the
 * budget allows; those above the leaves outlive leaves.
 */
typedef struct NodeStore NodeStore;

#define NODE_SEEDS_MOST 8u

/* What every block of one file system has in common. */
struct node_format {
	uint32_t node_size;   /* bytes */
	uint16_t csum_type;   /* BTRFS_CSUM_TYPE_* */
	uint8_t fsid[16];     /* as in block headers: the metadata UUID */
	/* Those of the file systems that this one has grown from, of which it
	 * still has blocks. */
	uint8_t seed_fsids[NODE_SEEDS_MOST][16];
	unsigned n_seeds;
	uint8_t chunk_tree_uuid[16]; /* all zeros: not compared */
};

/* What the pointer to a block says about it.  All of it is verified. */
struct node_want {
	uint64_t logical;
	uint64_t generation;
	uint8_t level;
	bool has_first_key; /* false for roots */
	struct key first_key;
};

/* @volume, @workers (may be NULL) and @log (may be NULL) must outlive the
 * store.  @cache_bytes bounds the blocks that nobody holds.
 * @readahead_bytes bounds what is being read ahead at any time; 0: never. */
NodeStore *node_store_new(Volume *volume, const struct node_format *format, size_t cache_bytes,
			  size_t readahead_bytes, Workers *workers, Log *log);
void node_store_free(NodeStore *store); /* NULL is fine; no Node may be in use */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NodeStore, node_store_free)

/*
 * Gives a reference to the block.
 *   -EIO       no copy could be read
 *   -EBADMSG   no copy has the right checksum
 *   -EUCLEAN   a copy has the right checksum and wrong contents, or no chunk
 *              covers the address (never -ENOENT: that means a key is not there)
 *   -ESTALE    the block is sound but of another generation than wanted
 *   -ENOMEM
 * The cause (base/cause.h) names the block, the devices that were tried, and why.
 */
int node_store_get(NodeStore *store, const struct node_want *want, Node **ret);

/*
 * Blocks of which a copy failed while another was good are suspects.  A failed
 * copy may be bad; or a commit has just given the block's place to something
 * new, which has not reached the other copy yet.  So they are looked at again,
 * later, when what has been read in the meantime is the chunk map of the newest
 * commit: where the same copies still fail and the other is still good, a line
 * tells of it, once for each block.  Any thread; reads devices.
 */
bool node_store_suspects(const NodeStore *store);
void node_store_tell_bad(NodeStore *store);

/* A reference to the block if it is in memory and what is wanted, or NULL at
 * once. */
Node *node_store_peek(NodeStore *store, const struct node_want *want);

/* Begins to read the blocks that are not in memory, neighbours on disk in
 * one request, and returns at once.  Drops what the bound does not allow;
 * failures show when the block is asked for.  Returns how many of @wants,
 * from the first, were taken care of. */
size_t node_store_prefetch(NodeStore *store, const struct node_want *wants, size_t n);

/* The same by the calling thread, which comes back when they are read: for who
 * is about to ask for all of them. */
void node_store_warm(NodeStore *store, const struct node_want *wants, size_t n);

/* How many blocks one walk may usefully have on their way, of at most
 * @most_bytes; 0: there is no readahead. */
size_t node_store_readahead_window(const NodeStore *store, size_t most_bytes);

struct node_store_stats {
	uint64_t hits, misses, evictions;
	uint64_t blocks_read, requests; /* of the devices */
	uint64_t queued;     /* to be read ahead: workers may come too late */
	uint64_t prefetched; /* by workers, before anybody needed them */
};

struct node_store_stats node_store_stats(NodeStore *store);
