#include "btrfs/volume/chunk.h"
#include <isa-l/erasure_code.h>

/*
 * Ways to read a byte of RAID5 and RAID6, besides the byte itself.  Columns
 * that are not named take part in the sum.
 */
enum {
	WAY_DIRECT,
	WAY_P,	    /* without Q */
	WAY_Q,	    /* without P */
	WAY_BOTH,   /* and the ways from here on: without another column of data */
};

static void place_whole(const struct chunk *chunk, uint64_t offset, unsigned way,
			struct chunk_place *ret)
{
	const struct stripe *stripe = &chunk->stripes[way];

	ret->devid = stripe->devid;
	ret->physical = stripe->physical + offset;
	ret->len = chunk->len - offset;
	ret->n_parts = 0;
}

static void place_striped(const struct chunk *chunk, uint64_t offset, unsigned way,
			  struct chunk_place *ret)
{
	const unsigned columns = chunk_columns(chunk);
	const uint64_t number = offset / CHUNK_STRIPE_BYTES;
	const uint64_t within = offset % CHUNK_STRIPE_BYTES;
	const unsigned column = (unsigned)(number % columns);
	const struct stripe *stripe = &chunk->stripes[column * chunk->profile->n_copies + way];

	ret->devid = stripe->devid;
	ret->physical = stripe->physical + number / columns * CHUNK_STRIPE_BYTES + within;
	ret->len = MIN(CHUNK_STRIPE_BYTES - within, chunk->len - offset);
	ret->n_parts = 0;
}

/* Where the byte in the same row as @offset, and at the same place within its
 * stripe, lies in @column. */
static void in_column(const struct chunk *chunk, uint64_t offset, unsigned column,
		      uint64_t *ret_devid, uint64_t *ret_physical)
{
	const uint64_t row = offset / CHUNK_STRIPE_BYTES / chunk_columns(chunk);
	const struct stripe *stripe = &chunk->stripes[(row + column) % chunk->n_stripes];

	*ret_devid = stripe->devid;
	*ret_physical = stripe->physical + row * CHUNK_STRIPE_BYTES + offset % CHUNK_STRIPE_BYTES;
}

static unsigned column_of(const struct chunk *chunk, uint64_t offset)
{
	return (unsigned)(offset / CHUNK_STRIPE_BYTES % chunk_columns(chunk));
}

static void place_parity(const struct chunk *chunk, uint64_t offset, unsigned way,
			 struct chunk_place *ret)
{
	in_column(chunk, offset, column_of(chunk, offset), &ret->devid, &ret->physical);
	ret->len = MIN(CHUNK_STRIPE_BYTES - offset % CHUNK_STRIPE_BYTES, chunk->len - offset);
	ret->n_parts = way == WAY_DIRECT ? 0 : chunk_columns(chunk);
}

#define ANY_COLUMNS UINT16_MAX
/* The powers of two in GF(2^8) repeat after so many. */
#define RAID6_COLUMNS 255u

static const struct profile profiles[] = {
	{ 0, "single", 1, 0, 1, place_whole },
	{ BTRFS_BLOCK_GROUP_DUP, "DUP", 2, 0, 1, place_whole },
	{ BTRFS_BLOCK_GROUP_RAID1, "RAID1", 2, 0, 1, place_whole },
	{ BTRFS_BLOCK_GROUP_RAID1C3, "RAID1C3", 3, 0, 1, place_whole },
	{ BTRFS_BLOCK_GROUP_RAID1C4, "RAID1C4", 4, 0, 1, place_whole },
	{ BTRFS_BLOCK_GROUP_RAID0, "RAID0", 1, 0, ANY_COLUMNS, place_striped },
	{ BTRFS_BLOCK_GROUP_RAID10, "RAID10", 2, 0, ANY_COLUMNS, place_striped },
	{ BTRFS_BLOCK_GROUP_RAID5, "RAID5", 1, 1, ANY_COLUMNS, place_parity },
	{ BTRFS_BLOCK_GROUP_RAID6, "RAID6", 1, 2, RAID6_COLUMNS, place_parity },
};

const struct profile *profile_of(uint64_t type)
{
	for (size_t i = 0; i < G_N_ELEMENTS(profiles); i++)
		if ((type & BTRFS_BLOCK_GROUP_PROFILE_MASK) == profiles[i].bit)
			return &profiles[i];
	return NULL;
}

const char *chunk_profile_name(uint64_t type)
{
	const struct profile *profile = profile_of(type);

	return profile ? profile->name : "?";
}

unsigned chunk_ways(const struct chunk *chunk)
{
	switch (chunk->profile->n_parity) {
	case 0:
		return chunk->profile->n_copies;
	case 1:
		return WAY_P + 1;
	default:
		return WAY_BOTH + chunk_columns(chunk) - 1;
	}
}

static uint8_t power_of_two(unsigned exponent)
{
	uint8_t power = 1;

	while (exponent-- > 0)
		power = gf_mul(power, 2);
	return power;
}

static uint8_t divide(uint8_t a, uint8_t b)
{
	return gf_mul(a, gf_inv(b));
}

/* The column without which a way does, beside the one that it rebuilds. */
static unsigned other_lost(unsigned lost, unsigned way)
{
	const unsigned i = way - WAY_BOTH;

	return i + (i >= lost);
}

static unsigned part_column(const struct chunk *chunk, unsigned lost, unsigned way, unsigned part)
{
	const unsigned columns = chunk_columns(chunk), p = columns, q = columns + 1;
	unsigned column = part, other;

	if (way < WAY_BOTH) {
		if (part == columns - 1)
			return way == WAY_P ? p : q;
		return column + (column >= lost);
	}
	if (part >= columns - 2)
		return part == columns - 2 ? p : q;
	other = other_lost(lost, way);
	column += column >= MIN(lost, other);
	return column + (column >= MAX(lost, other));
}

/*
 * What the column counts for in the sum that is the lost one, L.  In each row
 *
 *	P = sum of D[j]		Q = sum of 2^j D[j]
 *
 * and so without P, or without another data column M:
 *
 *	D[L] = (Q + sum of 2^j D[j]) / 2^L
 *	D[L] = (Q + 2^M P + sum of (2^j + 2^M) D[j]) / (2^L + 2^M)
 */
static uint8_t part_factor(const struct chunk *chunk, unsigned lost, unsigned way, unsigned column)
{
	const unsigned columns = chunk_columns(chunk);
	const uint8_t of_lost = power_of_two(lost);
	uint8_t of_other;

	if (way == WAY_P)
		return 1;
	if (way == WAY_Q)
		return divide(column < columns ? power_of_two(column) : 1, of_lost);
	of_other = power_of_two(other_lost(lost, way));
	if (column < columns)
		return divide(power_of_two(column) ^ of_other, of_lost ^ of_other);
	return divide(column == columns ? of_other : 1, of_lost ^ of_other);
}

void chunk_part(const struct chunk *chunk, uint64_t offset, unsigned way, unsigned part,
		struct chunk_part *ret)
{
	const unsigned lost = column_of(chunk, offset);
	const unsigned column = part_column(chunk, lost, way, part);

	in_column(chunk, offset, column, &ret->devid, &ret->physical);
	ret->factor = part_factor(chunk, lost, way, column);
}

uint64_t chunk_stripe_len(const struct chunk *chunk)
{
	const unsigned columns = chunk_columns(chunk);
	const uint64_t row = (uint64_t)columns * CHUNK_STRIPE_BYTES;

	if (chunk->profile->n_parity > 0) /* parity is of whole rows */
		return (chunk->len / row + (chunk->len % row > 0)) * CHUNK_STRIPE_BYTES;
	if (columns == 1)
		return chunk->len;
	return MIN(chunk->len, chunk->len / row * CHUNK_STRIPE_BYTES +
				       MIN(chunk->len % row, CHUNK_STRIPE_BYTES));
}

/* More stripes gone than there is parity. */
static bool lacks_stripes(const struct chunk *chunk, chunk_has_device_fn has, const void *user,
			  uint64_t *ret_devid)
{
	unsigned n_gone = 0;

	for (unsigned i = 0; i < chunk->n_stripes; i++) {
		if (has(chunk->stripes[i].devid, user))
			continue;
		*ret_devid = chunk->stripes[i].devid;
		n_gone++;
	}
	return n_gone > chunk->profile->n_parity;
}

/* No copy of some column on a device that is there. */
static bool lacks_copies(const struct chunk *chunk, chunk_has_device_fn has, const void *user,
			 uint64_t *ret_devid)
{
	const unsigned n_copies = chunk->profile->n_copies;
	bool readable = true;

	for (unsigned i = 0; i < chunk->n_stripes; i++) {
		if (i % n_copies == 0)
			readable = false;
		readable = readable || has(chunk->stripes[i].devid, user);
		if (readable || i % n_copies != n_copies - 1)
			continue;
		*ret_devid = chunk->stripes[i].devid;
		return true;
	}
	return false;
}

bool chunk_lacks(const struct chunk *chunk, chunk_has_device_fn has, const void *user,
		 uint64_t *ret_devid)
{
	uint64_t devid = 0;
	const bool lacks = chunk->profile->n_parity > 0 ?
				   lacks_stripes(chunk, has, user, &devid) :
				   lacks_copies(chunk, has, user, &devid);

	if (lacks)
		*ret_devid = devid;
	return lacks;
}
