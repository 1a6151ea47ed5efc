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

/* The path in which '/' is written "%2F" and '%' "%25"; NULL: not a plain one. */
char *path_of_name(const char *name);
bool id_of_name(const char *name, uint64_t *ret);
bool uuid_of_name(const char *name, uint8_t ret[16]);

/* All subvolumes as of the superblock in use, from memory where it has not
 * moved; unref the array. */
int catalog_roots(Catalog *catalog, GPtrArray **ret);

int mounted_list(Catalog *catalog, GPtrArray *list);
int mounted_find(Catalog *catalog, const char *name, Snapshot **ret);

/* From the root tree: by id, else by UUID. */
int unmounted_find_id(Catalog *catalog, const char *name, uint64_t id, Snapshot **ret);
int unmounted_find_uuid(Catalog *catalog, const char *name, const uint8_t uuid[16],
			Snapshot **ret);
