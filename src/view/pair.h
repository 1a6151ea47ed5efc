#pragma once
#include "btrfs/subvol/catalog.h"

/*
 * What a directory of the view is of: a snapshot and, for a pair, the parent
 * it is held against.
 */
struct view_pair {
	Snapshot *snapshot;
	Snapshot *parent; /* NULL: from nothing */
};

struct view_pair view_pair_ref(const struct view_pair *pair);
void view_pair_clear(struct view_pair *pair); /* any number of times */
typedef struct view_pair ViewPair;
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ViewPair, view_pair_clear)

/* "PARENT..SNAPSHOT" or "SNAPSHOT". To be freed with g_free(). */
char *view_pair_name(const Snapshot *parent, const Snapshot *snapshot);

/*
 * Reads the name of a directory: NAME, or PARENT..NAME, each as
 * catalog_find() takes it.  Subvolumes that are not read-only are found too.
 *   -ENOENT   there is nothing of that name
 *   -EINVAL   it can be read in more than one way
 *   errors of catalog_find()
 */
int view_pair_find(Catalog *catalog, const char *name, struct view_pair *ret);

/* In how many ways @name can be read where @names (a set of strings) are all
 * the names there are; what 1 is found by is a good name for a listing. */
unsigned view_name_readings(GHashTable *names, const char *name);
