#pragma once
#include "send/order/moves.h"

/*
 * Does a name that an inode has, or is to get, belong to another one at this
 * point of the stream?  docs/send-order.md, sections 6.3 and 6.4.
 */

/* Has the name @name in @dir of inode @id been taken by another inode already?
 * 1 or 0, or an error. */
int did_overwrite(const struct standing *standing, struct inode_id dir, struct span name,
		  struct inode_id id);

/* The same for the first reference of @id in the old snapshot. */
int did_overwrite_first_ref(const struct standing *standing, struct inode_id id);

/* The inode whose name a new reference would take away. */
struct victim {
	struct inode_id id; /* generation in the old snapshot */
	uint32_t mode;
};

/* Would the new reference @name in @dir hit an inode that is not processed
 * yet?  1 and *ret, or 0, or an error. */
int will_overwrite(const struct standing *standing, const Moves *moves, struct inode_id dir,
		   struct span name, struct victim *ret);
