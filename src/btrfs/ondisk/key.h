#pragma once
#include <linux/btrfs_tree.h>
#include <stdint.h>

/*
 * The key of an item: its place in a tree.  In native byte order; on disk it
 * is struct btrfs_disk_key (linux/btrfs_tree.h), 17 bytes.
 */
struct key {
	uint64_t objectid;
	uint64_t offset;
	uint8_t type;
};

#define KEY(objectid_, type_, offset_) \
	((struct key){ .objectid = (objectid_), .type = (type_), .offset = (offset_) })
#define KEY_MAX KEY(UINT64_MAX, UINT8_MAX, UINT64_MAX)

/* Order of items: objectid, type, offset, all unsigned.  <0, 0, >0. */
static inline int key_compare(const struct key *a, const struct key *b)
{
	if (a->objectid != b->objectid)
		return a->objectid < b->objectid ? -1 : 1;
	if (a->type != b->type)
		return a->type < b->type ? -1 : 1;
	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	return 0;
}
