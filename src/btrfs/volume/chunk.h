#pragma once
#include "btrfs/volume/chunk_map.h"

/*
 * Inside of a ChunkMap: one chunk, and where its profile puts what.
 */

/* The only stripe length that the format has had since 2009. */
#define CHUNK_STRIPE_BYTES (64u * 1024)

struct stripe {
	uint64_t devid, physical;
};

struct chunk {
	uint64_t logical, len; /* bytes; the sum does not overflow */
	uint64_t type;
	const struct profile *profile;
	unsigned n_stripes;
	struct stripe stripes[];
};

/*
 * A profile is a placement.  The stripes of a chunk form a table of columns,
 * which take turns every CHUNK_STRIPE_BYTES, and within a column the copies:
 *
 *	stripe number = column * n_copies + copy
 *
 * With parity the columns move on by one stripe from row to row:
 *
 *	row 0    D0 D1 P  Q          stripe number = (row + column) % n_stripes
 *	row 1    Q  D2 D3 P          P and Q are the columns behind the data
 *	row 2    P  Q  D4 D5
 */
struct profile {
	uint64_t bit; /* BTRFS_BLOCK_GROUP_*; 0: single */
	const char *name;
	unsigned n_copies;
	unsigned n_parity;
	unsigned most_columns; /* of data */
	void (*place)(const struct chunk *chunk, uint64_t offset, unsigned way,
		      struct chunk_place *ret);
};

/* NULL: the type names more than one profile at a time. */
const struct profile *profile_of(uint64_t type);

/* Columns that hold data. */
static inline unsigned chunk_columns(const struct chunk *chunk)
{
	return (chunk->n_stripes - chunk->profile->n_parity) / chunk->profile->n_copies;
}

/* In how many ways each of its bytes can be had. */
unsigned chunk_ways(const struct chunk *chunk);

/* Part @part of what rebuilds the byte at @offset in way number @way, which
 * is one that rebuilds; @part < chunk_columns(). */
void chunk_part(const struct chunk *chunk, uint64_t offset, unsigned way, unsigned part,
		struct chunk_part *ret);

/* Bytes of each of the chunk's stripes on its device. */
uint64_t chunk_stripe_len(const struct chunk *chunk);

/* Whether some byte cannot be had without the devices that are not there. */
bool chunk_lacks(const struct chunk *chunk, chunk_has_device_fn has, const void *user,
		 uint64_t *ret_devid);
