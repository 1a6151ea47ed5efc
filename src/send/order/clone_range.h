#pragma once
#include "send/order/clones.h"
#include "send/order/context.h"

/* What is sent of the current inode: [item->offset, end). */
struct range {
	const struct extent_item *item;
	uint64_t end;
	unsigned not_in; /* the variants that go without */
	uint64_t next_write_offset;
};

/*
 * Sends the range: cloned from @source as far as a receiver can do that, the
 * rest as data.  docs/send-order.md, sections 11.3 and 11.4.  @source NULL:
 * all as data.
 */
int send_range(struct sender *sender, const struct range *range,
	       const struct clone_source *source);
