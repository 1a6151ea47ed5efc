#pragma once
#include "base/lru.h"
#include "btrfs/backref/backrefs.h"
#include "btrfs/ondisk/extent_refs.h"

/* Reading the trees that references lie in.  All of it is as of one commit;
 * ref_sources_reset() takes up a newer one. */
typedef struct RefSources RefSources;

RefSources *ref_sources_new(Fs *fs);
void ref_sources_free(RefSources *sources); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RefSources, ref_sources_free)
void ref_sources_reset(RefSources *sources);

/* The references of one extent or tree block. */
struct extent_refs {
	struct extent_head head;
	uint8_t level; /* of a tree block */
	GArray *refs;  /* struct extent_ref, equal ones merged, in the order of
			  descending (root, ino, offset, parent) */
};

/* Clears @ret->refs and fills it.  -ENOENT: no extent begins at @logical.
 * With more than @most_refs references only the head is read.  -EUCLEAN: there
 * are more of them than the head counts. */
int ref_sources_read(RefSources *sources, uint64_t logical, uint64_t most_refs,
		     struct extent_refs *ret);

/* A cursor in subvolume @id, to be used until the next call.  -ENOENT: there
 * is none any more. */
int ref_sources_cursor(RefSources *sources, uint64_t id, TreeCursor **ret);
int ref_sources_tree(RefSources *sources, uint64_t id, struct tree *ret);

/* A tree block by its address alone; what it must be like is taken from its own
 * extent item. */
int ref_sources_block(RefSources *sources, uint64_t logical, Node **ret);

/* backrefs_users() and backrefs_roots() without memory.  @ret of the first is
 * one allocation, to be freed with g_free(). */
int find_users(RefSources *sources, uint64_t logical, uint64_t most_refs,
	       struct extent_users **ret, size_t *ret_bytes);

/* One step up from a tree block: the subvolumes whose root it is and the
 * parents that point to it, in order. */
struct block_ref {
	bool is_root;
	uint64_t value; /* a subvolume's id, or the parent's address */
};

int find_block_refs(RefSources *sources, uint64_t logical, uint64_t most_refs, GArray **ret);
