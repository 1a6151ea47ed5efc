#pragma once
#include "btrfs/ondisk/items.h"
#include "btrfs/tree/tree_cursor.h"

/*
 * What a subvolume's tree says about its inodes: items, names, directory
 * entries, xattrs, extents.  Each kind of question has a cursor of its own, so
 * that questions that follow the order of the inodes rarely search.
 *
 * A reader belongs to one thread.  Every function can return the errors of
 * node_store_get(), and -EUCLEAN for an item that cannot be parsed; -ENOENT
 * always means that the tree does not hold what was asked for.
 */
typedef struct InodeReader InodeReader;

/* NULL only without memory. */
InodeReader *inode_reader_new(const struct tree *tree);
void inode_reader_free(InodeReader *reader); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(InodeReader, inode_reader_free)

const struct tree *inode_reader_tree(const InodeReader *reader);

/* The inode's item.  *ret lives until the next call of any function here. */
int inode_reader_item(InodeReader *reader, uint64_t ino, const struct inode_item **ret);
int inode_reader_generation(InodeReader *reader, uint64_t ino, uint64_t *ret);

/* A name of at most 255 bytes, kept by value. */
struct name {
	uint8_t len;
	uint8_t bytes[255];
};

static inline struct span name_span(const struct name *name)
{
	return span_of(name->bytes, name->len);
}

/* One reference of an inode: a name in a directory. */
struct reference {
	uint64_t dir;
	struct name name;
};

/* The first entry of the first INODE_REF item, or of the first INODE_EXTREF
 * item where there is none of the other kind. */
int inode_reader_first_ref(InodeReader *reader, uint64_t ino, struct reference *ret);

/* Calls @visit for each entry of one INODE_REF or INODE_EXTREF item. */
typedef int (*inode_ref_fn)(void *user, uint64_t dir, struct span name);
int inode_refs_in_item(const struct key *key, struct span item, inode_ref_fn visit, void *user);
/* The same for all such items of @ino, in key order. */
int inode_reader_refs(InodeReader *reader, uint64_t ino, inode_ref_fn visit, void *user);
/* Calls @visit once for each INODE_REF item (with its first name) and for each
 * entry of INODE_EXTREF items. */
int inode_reader_parents(InodeReader *reader, uint64_t ino, inode_ref_fn visit, void *user);

/* Where the entry @name of directory @dir points to. */
int inode_reader_lookup(InodeReader *reader, uint64_t dir, struct span name, struct key *ret);

struct dir_index {
	uint64_t index; /* the key's offset */
	struct key location;
};

/* The first DIR_INDEX entry of @dir with an index >= @from. */
int inode_reader_dir_index(InodeReader *reader, uint64_t dir, uint64_t from,
			   struct dir_index *ret);
/* The last one. */
int inode_reader_last_dir_index(InodeReader *reader, uint64_t dir, struct dir_index *ret);

/* *ret lives until the next question about xattrs. */
int inode_reader_xattr(InodeReader *reader, uint64_t ino, struct span name, struct span *ret);
/* One attribute in an XATTR_ITEM's bytes. */
int xattr_find_in_item(struct span item, struct span name, struct span *ret);

struct extent_item {
	uint64_t offset; /* in the file, from the key */
	struct file_extent extent;
};

/* The last extent item of @ino with an offset <= @offset.  In all three the
 * inline data lives until the next question about extents. */
int inode_reader_extent_before(InodeReader *reader, uint64_t ino, uint64_t offset,
			       struct extent_item *ret);
/* The first one with an offset >= @offset. */
int inode_reader_extent_after(InodeReader *reader, uint64_t ino, uint64_t offset,
			      struct extent_item *ret);
/* The one that follows where the last question about extents ended. */
int inode_reader_extent_next(InodeReader *reader, uint64_t ino, struct extent_item *ret);

/* Where in the file an extent item ends; inline items end at a sector. */
uint64_t extent_item_end(const struct extent_item *item);

/* Descents from the root that all questions have cost (for benchmarks). */
uint64_t inode_reader_descents(const InodeReader *reader);
