#pragma once
#include "send/order/sender.h"
#include "btrfs/inode/inode_reader.h"

/*
 * Which data can be cloned from where.  docs/send-order.md, sections 11.1,
 * 11.2 and 12.
 */
typedef struct Clones Clones;

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
	uint64_t next_write_offset;
};

struct clone_source {
	const struct clone_root *from;
	uint64_t ino, offset;
};

/* 1 and *ret, or 0: no source; or an error. */
int clones_find(Clones *clones, const struct clone_wanted *wanted, struct clone_source *ret);
