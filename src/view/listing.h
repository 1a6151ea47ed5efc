#pragma once
#include "view/node_table.h"

/*
 * The entries of a directory, as they were when it was opened.  Never changes
 * once made; any thread may read it.  Positions are those of readdir: 0 is
 * ".", 1 is "..".
 */
typedef struct Listing Listing;

struct listing_entry {
	char *name;
	uint64_t ino;
	bool is_directory;
};

/* The root: each of @snapshots (see catalog_list()), and its pair with its
 * predecessor.  Names that could be read in two ways are left out. */
Listing *listing_new_root(const uint8_t fsid[16], const GPtrArray *snapshots);

/* The directory of a pair, whose own inode number is @ino; its files' are those
 * of @nodes. */
Listing *listing_new_pair(NodeTable *nodes, const struct view_pair *pair, uint64_t ino);

void listing_free(Listing *listing); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Listing, listing_free)

/* NULL behind the end.  Lives as long as the listing. */
const struct listing_entry *listing_at(const Listing *listing, uint64_t position);

/* The files of every pair's directory; a kind for each name.  False if there
 * is none of that name. */
bool listing_file_kind(const char *name, enum view_kind *ret_kind,
		       enum stream_variant *ret_variant);
