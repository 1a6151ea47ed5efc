#pragma once
#include "btrfs/subvol/catalog.h"
#include "btrfs/subvol/pattern.h"
#include <pthread.h>

struct Catalog {
	Fs *fs;
	int dirfd; /* -1: not mounted */
	GPtrArray *patterns; /* struct pattern */

	pthread_mutex_t lock; /* protects the rest, which is for unmounted ones */
	GPtrArray *roots;     /* struct root_entry, shared and immutable */
	uint64_t generation;  /* as of which they are */
};

/* All subvolumes as of the superblock in use, from memory where it has not
 * moved; unref the array. */
int catalog_roots(Catalog *catalog, GPtrArray **ret);

int mounted_list(Catalog *catalog, GPtrArray *list);

/* What a name may mean, found by itself: -ENOENT if there is no such thing.  Paths
 * are relative to the source; the result's name is @name. */
struct name_finders {
	int (*path)(Catalog *catalog, const char *name, const char *path, Snapshot **ret);
	int (*id)(Catalog *catalog, const char *name, uint64_t id, Snapshot **ret);
	int (*uuid)(Catalog *catalog, const char *name, const uint8_t uuid[16], Snapshot **ret);
};

extern const struct name_finders mounted_finders;

/* From the root tree: by id, else by UUID. */
int unmounted_find_id(Catalog *catalog, const char *name, uint64_t id, Snapshot **ret);
int unmounted_find_uuid(Catalog *catalog, const char *name, const uint8_t uuid[16],
			Snapshot **ret);
