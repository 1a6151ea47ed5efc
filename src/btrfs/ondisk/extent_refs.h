#pragma once
#include "base/span.h"
#include "btrfs/ondisk/key.h"

/*
 * Items of the extent tree: who refers to an extent or to a tree block.
 * Source: linux/btrfs_tree.h, struct btrfs_extent_item and what follows it.
 */
struct extent_head {
	uint64_t refs; /* how many references there are in all */
	uint64_t generation;
	uint64_t flags; /* BTRFS_EXTENT_FLAG_DATA, _TREE_BLOCK, ... */
};

enum extent_ref_kind {
	EXTENT_REF_KEYED_DATA,	 /* by root, inode and offset */
	EXTENT_REF_SHARED_DATA,	 /* by the address of a leaf */
	EXTENT_REF_KEYED_BLOCK,	 /* by root */
	EXTENT_REF_SHARED_BLOCK, /* by the address of the parent */
	EXTENT_REF_OTHER,	 /* says nothing about who refers (owner of a quota) */
};

struct extent_ref {
	enum extent_ref_kind kind;
	uint32_t count;	 /* data references only, else 1 */
	uint64_t root;	 /* keyed */
	uint64_t parent; /* shared: a logical address */
	uint64_t ino;	 /* keyed data */
	uint64_t offset; /* keyed data: file offset less offset into the extent; may wrap */
};

/* Parses an EXTENT_ITEM or METADATA_ITEM.  *ret_inline: its inline references,
 * for extent_inline_ref_next().  0 or -EUCLEAN. */
int extent_head_parse(const struct key *key, struct span item, struct extent_head *ret,
		      struct cursor *ret_inline);

/* Takes the next reference.  Call while inline_refs->left > 0. */
int extent_inline_ref_next(struct cursor *inline_refs, struct extent_ref *ret);

/* An item of its own that is one reference.  -ENOENT: not an item of such a
 * type. */
int extent_keyed_ref_parse(const struct key *key, struct span item, struct extent_ref *ret);
