#pragma once
#include "btrfs/fs/fs.h"
#include "send/wire/encode.h"
#include <stdatomic.h>

/*
 * Decides the commands that turn one snapshot into another, and their order:
 * the same commands in the same order as the kernel's send.
 *
 * docs/send-order.md states the rules; the files of this folder name the
 * section they implement.
 */

/* One of the two sides, or a clone source. */
struct send_root {
	struct tree tree;
	struct root_item item;
};

/* The UUID that a stream names the subvolume by. */
static inline const uint8_t *announced_uuid(const struct root_item *item)
{
	static const uint8_t none[16];

	return memcmp(item->received_uuid, none, sizeof(none)) ? item->received_uuid : item->uuid;
}

struct send_request {
	Fs *fs; /* for the references of shared extents */
	struct send_root snapshot;
	const struct send_root *parent; /* NULL: a full send */
	/* Where data may be cloned from, besides the snapshot itself; the parent
	 * only if it is listed.  Their order does not matter. */
	const struct send_root *clone_sources;
	size_t n_clone_sources;
	struct span name;		/* of the snapshot, for SUBVOL and SNAPSHOT */
	const atomic_bool *cancelled;	/* becomes true to call it off; may be NULL */
};

/*
 * Puts all commands from SUBVOL or SNAPSHOT to END into @sink, of all variants of
 * the stream: those that not all of them have say so.  Takes as long
 * as it takes: call it from a thread of its own.
 *
 * 0, or what ended it; then the commands put so far are worthless:
 *   -ECANCELED            called off
 *   errors of node_store_get()
 *   -EIO, -ENOENT, -EUCLEAN, -ENAMETOOLONG, -EEXIST
 *                         as the kernel's send would end (docs/send-order.md)
 *   errors of the sink
 */
int sender_run(const struct send_request *request, const struct command_sink *sink);
