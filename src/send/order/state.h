#pragma once
#include "btrfs/inode/inode_reader.h"

/*
 * Where the sender stands, and what that means for an inode.
 * docs/send-order.md, sections 1, 3 and 4.
 */

/* An inode: two with the same number and the same generation are the same. */
struct inode_id {
	uint64_t ino, gen;
};

static inline bool inode_id_equal(struct inode_id a, struct inode_id b)
{
	return a.ino == b.ino && a.gen == b.gen;
}

/* The two snapshots; @old is NULL in a full send.  And how far the sender has
 * come: inode numbers below the frontier have their references in their final
 * places. */
struct standing {
	InodeReader *new, *old;
	struct inode_id current; /* ino 0: none yet */
	uint64_t frontier;
};

enum inode_state {
	STATE_UNCHANGED,
	STATE_DID_CREATE,
	STATE_WILL_CREATE,
	STATE_DID_DELETE,
	STATE_WILL_DELETE,
};

/* 0 for a side that does not have the number. */
struct generations {
	uint64_t new, old;
};

/* @ret_gens may be NULL.  -ENOENT: @id is in neither snapshot (state
 * "invalid"); or an error of the readers. */
int inode_state(const struct standing *standing, struct inode_id id, enum inode_state *ret,
		struct generations *ret_gens);

/* Section 4.2: 1 if the receiver has the inode at this point, else 0; errors
 * as inode_state().  @ret_gens is not set for the root directory. */
int inode_exists(const struct standing *standing, struct inode_id id,
		 struct generations *ret_gens);
