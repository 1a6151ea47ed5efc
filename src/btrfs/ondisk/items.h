#pragma once
#include "base/span.h"
#include "btrfs/ondisk/key.h"

/*
 * Items of trees, decoded to native values.  Source of every layout:
 * linux/btrfs_tree.h.  Each parse function returns 0, or -EUCLEAN if the
 * bytes are not what the format demands; @ret is then untouched.  Spans in
 * the results point into the item's own bytes.
 */
struct disk_time {
	uint64_t seconds;
	uint32_t nanoseconds;
};

struct inode_item {
	uint64_t generation;
	uint64_t transid;
	uint64_t size; /* bytes */
	uint64_t nbytes;
	uint64_t rdev; /* the kernel's form: major << 20 | minor */
	uint64_t flags;
	uint32_t nlink;
	uint32_t uid, gid, mode;
	struct disk_time atime, ctime, mtime, otime;
};

int inode_item_parse(struct span item, struct inode_item *ret);

/* A device, as the chunk tree knows it. */
struct dev_item {
	uint64_t devid;
	uint8_t uuid[16];
	uint8_t fsid[16]; /* the metadata UUID of the file system it was made for */
};

int dev_item_parse(struct span item, struct dev_item *ret);

/* One name in an INODE_REF item; the directory is the key's offset. */
struct inode_ref {
	uint64_t index;
	struct span name;
};

/* One name in an INODE_EXTREF item. */
struct inode_extref {
	uint64_t parent;
	uint64_t index;
	struct span name;
};

/* Takes the next entry off @item.  Call while item->left > 0. */
int inode_ref_next(struct cursor *item, struct inode_ref *ret);
int inode_extref_next(struct cursor *item, struct inode_extref *ret);

/* One entry of a DIR_ITEM, DIR_INDEX or XATTR_ITEM. */
struct dir_entry {
	struct key location; /* of an inode, or (id, ROOT_ITEM, ..) of a subvolume */
	uint64_t transid;
	struct span name;
	struct span data; /* the value of an xattr, else empty */
	uint8_t type;	  /* BTRFS_FT_* */
};

int dir_entry_next(struct cursor *item, struct dir_entry *ret);

/* Offset in the key of a DIR_ITEM or XATTR_ITEM: CRC-32C, register started
 * at 0xfffffffe, no final inversion. */
uint32_t name_hash(struct span name);

struct file_extent {
	uint64_t generation;
	uint64_t ram_bytes;
	uint8_t compression; /* BTRFS_COMPRESS_* as on disk: 0 none, 1 zlib, 2 lzo, 3 zstd */
	uint8_t type;	     /* BTRFS_FILE_EXTENT_INLINE, _REG, _PREALLOC */
	struct span inline_data;
	/* The rest is 0 for inline items. */
	uint64_t disk_bytenr; /* 0: an explicit hole */
	uint64_t disk_num_bytes;
	uint64_t offset;    /* into the (decompressed) extent */
	uint64_t num_bytes; /* of the file */
};

/* Also checks that the ranges do not overflow, that encryption and other
 * encoding are 0, and that compression and type are known values. */
int file_extent_parse(struct span item, struct file_extent *ret);

struct root_item {
	uint64_t generation;
	uint64_t bytenr;
	uint64_t flags; /* BTRFS_ROOT_SUBVOL_RDONLY, BTRFS_ROOT_SUBVOL_DEAD */
	uint64_t dirid;
	uint32_t refs; /* 0: being deleted */
	uint8_t level;
	uint8_t uuid[16], parent_uuid[16], received_uuid[16];
	uint64_t ctransid, otransid, stransid, rtransid;
	struct disk_time ctime, otime, stime, rtime;
};

/* Older, shorter items give zeros for the fields they lack. */
int root_item_parse(struct span item, struct root_item *ret);

/* ROOT_REF and ROOT_BACKREF. */
struct root_ref {
	uint64_t dirid;
	uint64_t sequence;
	struct span name;
};

int root_ref_parse(struct span item, struct root_ref *ret);
