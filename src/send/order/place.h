#pragma once
#include "send/order/context.h"

/*
 * Section 7 of docs/send-order.md: brings the current inode from the names it
 * had to the names it gets, and empties the set of references.
 * *ret_delayed: its move has been put off.
 */
int place_references(struct sender *sender, bool *ret_delayed);

/* Section 3.2: has directory @dir of the new snapshot been made ahead of its
 * turn?  (Directories that had their turn are not asked about.) */
bool is_created_ahead(const struct sender *sender, uint64_t dir);
