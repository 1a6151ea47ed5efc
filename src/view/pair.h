#pragma once
#include "btrfs/subvol/catalog.h"

/*
 * What a directory of the view is of: a snapshot and, for a pair, the parent
 * it is held against and what else data may be cloned from.
 */
struct view_pair {
	Snapshot *snapshot;
	Snapshot *parent; /* NULL: from nothing */
	/* Snapshot, ascending by id, neither of the two above, each once; NULL:
	 * none.  Never changes. */
	GPtrArray *clone_sources;
};

struct view_pair view_pair_ref(const struct view_pair *pair);
void view_pair_clear(struct view_pair *pair); /* any number of times */
typedef struct view_pair ViewPair;
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ViewPair, view_pair_clear)

/* "PARENT..SNAPSHOT" or "SNAPSHOT". To be freed with g_free(). */
char *view_pair_name(const Snapshot *parent, const Snapshot *snapshot);

#define VIEW_MOST_SOURCES 128u /* before the dots */

/*
 * Reads the name of a directory: NAME, or PARENT..NAME, or
 * PARENT,SOURCE...,SOURCE..NAME, each as catalog_find() takes it.  Subvolumes
 * that are not read-only are found too.
 *   -ENOENT   there is nothing of that name
 *   -EINVAL   it can be read in more than one way
 *   -EEXIST   a clone source is named twice, or is the parent or the snapshot
 *   -E2BIG    more than VIEW_MOST_SOURCES
 *   errors of catalog_find()
 */
int view_pair_find(Catalog *catalog, const char *name, struct view_pair *ret);

/* In how many ways @name can be read, 2 standing for more, where @names (a set
 * of strings) are all the names there are; what 1 is found by is a good name
 * for a listing. */
unsigned view_name_readings(GHashTable *names, const char *name);
