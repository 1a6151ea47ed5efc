#pragma once
#include "btrfs/codec/checksum.h"
#include "btrfs/tree/tree_cursor.h"

/* At most so many sectors are read and checked in one go. */
#define SECTORS_MOST 256u

/* How one file system sums its data. */
struct sum_format {
	uint32_t sector_size; /* bytes */
	uint16_t csum_type;   /* BTRFS_CSUM_TYPE_*, known */
};

/* The checksums of consecutive sectors.  A plain value, about 8 KiB. */
struct sector_sums {
	uint32_t n;	    /* sectors */
	uint32_t n_present; /* of them have a checksum */
	bool present[SECTORS_MOST];
	uint8_t sums[SECTORS_MOST][CHECKSUM_MAX_LEN];
};

/*
 * Looks up the checksums of @n <= SECTORS_MOST sectors from @logical (a
 * multiple of the sector size) on.  @cursor: in the checksum tree.
 * A sector without one is not an error: its file is "nodatasum".
 *   -EUCLEAN   a checksum item is not sound
 *   errors of node_store_get()
 */
int csum_lookup(TreeCursor *cursor, const struct sum_format *format, uint64_t logical, uint32_t n,
		struct sector_sums *ret);

/* Whether sector @i matches, or has no checksum to match. */
bool csum_matches(const struct sector_sums *sums, const struct sum_format *format, uint32_t i,
		  const void *sector);
