#pragma once
#include "base/span.h"
#include "btrfs/ondisk/key.h"
#include <glib.h>
#include <stdbool.h>

/*
 * Where each range of logical addresses lies on the devices.
 *
 * One thread builds the map.  After chunk_map_seal() it never changes: a
 * function taking a const ChunkMap may be called from any number of threads.
 * Addresses and lengths are in bytes; ways to read count from 0: one for each
 * copy, or the byte itself and then the rebuilds from parity.
 */
typedef struct ChunkMap ChunkMap;

/* How to read, in one way, a range that does not cross a stripe. */
struct chunk_place {
	uint64_t devid;	   /* the number in the device item, never an index */
	uint64_t physical; /* of the first byte on that device */
	uint64_t len;	   /* > 0; how far the answer holds */
	unsigned n_parts;  /* 0: it is read there; otherwise it is rebuilt, as
			    * the sum of so many parts, and not read there */
};

/* One of the parts; sums and products are those of GF(2^8) modulo 0x11d. */
struct chunk_part {
	uint64_t devid, physical;
	uint8_t factor;
};

ChunkMap *chunk_map_new(void);
ChunkMap *chunk_map_copy(const ChunkMap *map); /* not sealed */
void chunk_map_free(ChunkMap *map); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ChunkMap, chunk_map_free)

/*
 * Adds the chunk that begins at @logical from the bytes of its CHUNK_ITEM.
 *   -EUCLEAN      not a sound chunk, or it overlaps another one
 *   -EEXIST       the same chunk is there already (superblock and tree): fine
 *   -ENOMEM
 */
int chunk_map_add(ChunkMap *map, uint64_t logical, struct span item, uint32_t sector_size);

/* Adds all chunks of a superblock's array of keys and chunk items; chunks that
 * are there already are passed over.  Otherwise errors as above. */
int chunk_map_add_array(ChunkMap *map, struct span array, uint32_t sector_size);

void chunk_map_seal(ChunkMap *map);

/* The name of the profile in a chunk's type field: "single", "RAID5"; "?" for
 * an impossible one.  Static. */
const char *chunk_profile_name(uint64_t type);
/* The type field in the bytes of a CHUNK_ITEM; 0 if it is too short. */
uint64_t chunk_item_type(struct span item);

size_t chunk_map_count(const ChunkMap *map);

/* How many ways there are to read the byte at @logical; 0: no chunk. */
unsigned chunk_map_ways(const ChunkMap *map, uint64_t logical);

/* From @logical to the end of its chunk, 0 if there is none. */
uint64_t chunk_map_left(const ChunkMap *map, uint64_t logical);

/* The type field (BTRFS_BLOCK_GROUP_*) of the chunk at @logical, 0 if none. */
uint64_t chunk_map_type(const ChunkMap *map, uint64_t logical);

/*
 * Finds out how to read the byte at @logical in way number @way.
 *   -ENOENT   no chunk covers @logical
 *   -ERANGE   there are fewer ways
 */
int chunk_map_find(const ChunkMap *map, uint64_t logical, unsigned way, struct chunk_place *ret);

/* Part @part of a rebuild.  The same errors; -ERANGE also: no such part. */
int chunk_map_part(const ChunkMap *map, uint64_t logical, unsigned way, unsigned part,
		   struct chunk_part *ret);

typedef bool (*chunk_has_device_fn)(uint64_t devid, const void *user);

/* Whether some range could not be read in any way, given that @has tells which
 * devices are there: one that it lacks, and the type of its chunk. */
bool chunk_map_lacks(const ChunkMap *map, chunk_has_device_fn has, const void *user,
		     uint64_t *ret_devid, uint64_t *ret_type);
/* Whether a device is not there that the map places anything on: the first. */
bool chunk_map_misses(const ChunkMap *map, chunk_has_device_fn has, const void *user,
		      uint64_t *ret_devid);

/* Where the last byte that @map places on @devid ends there; 0: none is. */
uint64_t chunk_map_device_end(const ChunkMap *map, uint64_t devid);
