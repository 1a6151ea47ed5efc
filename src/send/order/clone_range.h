#pragma once
#include "send/order/clones.h"
#include "send/order/context.h"

/*
 * Sends [item->offset, end) of the current inode: cloned from @source as far
 * as a receiver can do that, the rest as data.  docs/send-order.md, sections
 * 11.3 and 11.4.  @source NULL: all as data.
 */
int send_range(struct sender *sender, const struct extent_item *item, uint64_t end,
	       const struct clone_source *source);
