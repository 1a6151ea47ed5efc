#pragma once
#include "btrfs/ondisk/items.h"
#include "support/bytes.h"

/*
 * The bytes of items, made from what the parsers of btrfs/ondisk/items.h
 * give.  Appended to @to: items of several entries are made by several calls.
 */
void put_inode_item(GByteArray *to, const struct inode_item *inode);
void put_inode_ref(GByteArray *to, uint64_t index, const char *name);
void put_inode_extref(GByteArray *to, uint64_t parent, uint64_t index, const char *name);
/* Type, transid, location; name and data are spans of any bytes. */
void put_dir_entry(GByteArray *to, const struct dir_entry *entry);
/* Of a file in a directory: the location is (@ino, INODE_ITEM, 0). */
void put_dir_item(GByteArray *to, uint64_t ino, uint8_t type, const char *name);
void put_xattr(GByteArray *to, const char *name, struct span value);
void put_file_extent(GByteArray *to, const struct file_extent *extent);
void put_root_item(GByteArray *to, const struct root_item *root);
void put_root_ref(GByteArray *to, uint64_t dirid, uint64_t sequence, const char *name);

struct built_stripe {
	uint64_t devid, physical;
	uint8_t dev_uuid[16];
};

struct built_chunk {
	uint64_t length;  /* bytes */
	uint64_t type;	  /* BTRFS_BLOCK_GROUP_* */
	uint16_t n_stripes, sub_stripes;
	const struct built_stripe *stripes;
};

/* Stripe length 64 KiB, sector size 4 KiB. */
void put_chunk_item(GByteArray *to, const struct built_chunk *chunk);
void put_key(GByteArray *to, struct key key);

/* Plausible values to begin with: a regular file of one link, a directory,
 * a subvolume's root. */
struct inode_item example_file(uint64_t size);
struct inode_item example_dir(void);
struct root_item example_root(uint64_t bytenr, uint64_t generation, uint8_t level);
/* Not compressed, at the beginning of its extent. */
struct file_extent example_extent(uint64_t disk_bytenr, uint64_t len);
struct file_extent example_inline(struct span data);
