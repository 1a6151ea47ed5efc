#pragma once
#include "send/order/clones.h"
#include "send/order/dir_times.h"
#include "send/order/refs.h"

/*
 * What the steps of one send share.  The parts have their own interfaces and
 * know nothing of each other but what their headers say.
 */

/* The inode that is being processed.  docs/send-order.md, section 3. */
struct current_inode {
	bool is_new;   /* also the creation half of a replaced one */
	bool deleted;
	bool replaced; /* "regenerated" */
	bool ignored;
	uint32_t mode;
	uint64_t size;
	uint64_t next_write_offset[HOLE_WAYS];
	uint64_t last_end; /* of the extent items seen so far, or LAST_END_UNKNOWN */
};

#define LAST_END_UNKNOWN UINT64_MAX

struct sender {
	struct standing standing;
	struct current_inode current;
	Moves *moves;
	Paths *paths;
	RefSet *refs;
	DirTimes *times;
	Clones *clones;
	GHashTable *created; /* directories made ahead of their turn (uint64_t) */
	const struct command_sink *sink;
};

/* The path of the current inode; makes and uses the memo. */
static inline int current_path(struct sender *sender, struct path *ret)
{
	return paths_current(sender->paths, sender->standing.current, ret);
}
