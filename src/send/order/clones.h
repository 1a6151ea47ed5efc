#pragma once
#include "send/order/sender.h"
#include "btrfs/inode/inode_reader.h"
#include "send/wire/variant.h"

/*
 * Which data can be cloned from where.  docs/send-order.md, sections 11.1,
 * 11.2 and 12.
 */
typedef struct Clones Clones;

/*
 * A hole that is sent as zeros counts as written, one that is sent otherwise
 * does not.  From there on the variants may decide differently, about clones
 * within the file and about its end.
 */
enum hole_way {
	HOLES_WRITTEN, /* STREAM_V1 */
	HOLES_NAMED,   /* all others */
};
#define HOLE_WAYS 2u

static inline unsigned hole_way_variants(enum hole_way way)
{
	const unsigned written = VARIANT_BIT(STREAM_V1);

	return way == HOLES_WRITTEN ? written : VARIANTS_ALL & ~written;
}

/* A subvolume that data may be cloned from. */
struct clone_root {
	const struct send_root *root;
	InodeReader *reader;
	bool is_own; /* the snapshot that is sent */
};

/* @new_side, @old_side (NULL in a full send): readers of the two snapshots, used
 * for those roots.  NULL only without memory. */
Clones *clones_new(const struct send_request *request, InodeReader *new_side,
		   InodeReader *old_side);
void clones_free(Clones *clones); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Clones, clones_free)

struct clone_wanted {
	const struct extent_item *item; /* of the current inode */
	uint64_t ino;			/* the current inode */
	uint64_t leaf_owner;		/* of the leaf that holds the item */
	uint64_t size;			/* of the current inode */
	uint64_t next_write_offset[HOLE_WAYS];
};

struct clone_source {
	const struct clone_root *from;
	uint64_t ino, offset;
};

/*
 * 1 if all variants find the same source and go on from the same state, so that
 * one search will do, in whichever way; 0 if each way has to be asked for; or
 * an error.
 */
int clones_alike(Clones *clones, const struct clone_wanted *wanted);

/* 1 and *ret, or 0: no source; or an error. */
int clones_find(Clones *clones, const struct clone_wanted *wanted, enum hole_way way,
		struct clone_source *ret);
