#pragma once
#include "btrfs/fs/fs.h"

/*
 * Who else uses an extent, and which subvolumes reach a leaf.  Every answer is
 * found once and remembered: many file extents share an extent, and many
 * leaves share the nodes above them.
 * docs/send-order.md, sections 12.1 to 12.3 and 12.6, give the orders.
 *
 * Belongs to one thread.
 */
typedef struct Backrefs Backrefs;

/* @memory: what may be remembered, in bytes.  @fs must outlive it. */
Backrefs *backrefs_new(Fs *fs, size_t memory);
void backrefs_free(Backrefs *backrefs); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Backrefs, backrefs_free)

/* A file extent item that refers to the extent. */
struct extent_user {
	uint64_t leaf; /* logical address of the leaf that holds it */
	uint64_t ino;
	uint64_t file_offset;	/* in its key */
	uint64_t extent_offset; /* its offset into the extent */
	uint64_t num_bytes;	/* of the file that it covers */
	uint32_t leaf_index;	/* which of the extent's leaves that is */
	bool compressed;
};

/* All users that one keyed reference stands for, in ascending order of their
 * keys; or all in one shared leaf, in slot order. */
struct extent_user_group {
	uint64_t root, ino, offset; /* of the keyed reference; 0 for a shared leaf */
	uint64_t leaf;		    /* of a shared leaf, else 0 */
	uint32_t leaf_index;	    /* of a shared leaf */
	uint32_t first, n;	    /* in users[] */
};

struct extent_users {
	uint64_t refs; /* what the extent item counts */
	uint32_t n_users, n_keyed, n_groups, n_leaves;
	struct extent_user *users;
	/* Keyed references first, descending by (root, ino, offset), then shared
	 * leaves, descending by address. */
	struct extent_user_group *groups;
	/* By leaf_index, 0 at first; for the caller's own use. */
	uint32_t *leaf_tags;
};

/*
 * The users of the extent at @logical (a file extent's disk_bytenr).  If it
 * has more than @most_refs references, only @refs is set.  *ret lives until
 * the next call.  An extent without an extent item has no users.
 * Errors of node_store_get(), -EUCLEAN, -ENOMEM.
 */
int backrefs_users(Backrefs *backrefs, uint64_t logical, uint64_t most_refs,
		   const struct extent_users **ret);

/*
 * The ids of the subvolumes from whose roots the tree block at @logical is
 * reached, in the order of section 12.6.  Blocks with more than @most_refs
 * references contribute nothing.  *ret (of uint64_t) lives until the next
 * call.
 */
int backrefs_roots(Backrefs *backrefs, uint64_t logical, uint64_t most_refs, GArray **ret);
