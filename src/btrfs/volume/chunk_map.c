#include "btrfs/volume/chunk.h"
#include <assert.h>
#include <limits.h>

/* Sizes on disk: linux/btrfs_tree.h, struct btrfs_chunk, struct btrfs_stripe. */
#define DISK_KEY_LEN 17u
#define CHUNK_ITEM_LEN 48u /* without its stripes */
#define CHUNK_ITEM_N_STRIPES 44u
#define CHUNK_ITEM_TYPE 24u
#define STRIPE_LEN 32u

uint64_t chunk_item_type(struct span item)
{
	return item.len >= CHUNK_ITEM_LEN ? load_le64(item.data + CHUNK_ITEM_TYPE) : 0;
}

struct ChunkMap {
	GPtrArray *chunks; /* struct chunk, by logical address, none overlapping */
	bool sealed;
};

ChunkMap *chunk_map_new(void)
{
	ChunkMap *map = g_new0(ChunkMap, 1);

	map->chunks = g_ptr_array_new_with_free_func(g_free);
	return map;
}

static size_t chunk_bytes(unsigned n_stripes)
{
	return sizeof(struct chunk) + n_stripes * sizeof(struct stripe);
}

ChunkMap *chunk_map_copy(const ChunkMap *map)
{
	ChunkMap *copy = chunk_map_new();

	for (size_t i = 0; i < map->chunks->len; i++) {
		const struct chunk *from = g_ptr_array_index(map->chunks, i);
		struct chunk *chunk = g_malloc(chunk_bytes(from->n_stripes));

		memcpy(chunk, from, chunk_bytes(from->n_stripes));
		g_ptr_array_add(copy->chunks, chunk);
	}
	return copy;
}

void chunk_map_free(ChunkMap *map)
{
	if (!map)
		return;
	g_ptr_array_unref(map->chunks);
	g_free(map);
}

void chunk_map_seal(ChunkMap *map)
{
	map->sealed = true;
}

size_t chunk_map_count(const ChunkMap *map)
{
	return map->chunks->len;
}

static const struct chunk *chunk_at(const ChunkMap *map, size_t i)
{
	return g_ptr_array_index(map->chunks, i);
}

/* How many chunks begin at or before @logical. */
static size_t count_up_to(const ChunkMap *map, uint64_t logical)
{
	size_t low = 0, high = map->chunks->len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (chunk_at(map, middle)->logical <= logical)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static const struct chunk *chunk_lookup(const ChunkMap *map, uint64_t logical)
{
	size_t n = count_up_to(map, logical);
	const struct chunk *chunk;

	if (n == 0)
		return NULL;
	chunk = chunk_at(map, n - 1);
	return logical - chunk->logical < chunk->len ? chunk : NULL;
}

/* The bits that a chunk's type may have: at least one of the kinds, system
 * never with another, one profile, nothing that is not known. */
static bool type_is_sound(uint64_t type)
{
	const uint64_t kinds = type & BTRFS_BLOCK_GROUP_TYPE_MASK;

	if (type & ~(BTRFS_BLOCK_GROUP_TYPE_MASK | BTRFS_BLOCK_GROUP_PROFILE_MASK))
		return false;
	if (kinds == 0)
		return false;
	return !(kinds & BTRFS_BLOCK_GROUP_SYSTEM) || kinds == BTRFS_BLOCK_GROUP_SYSTEM;
}

static bool stripe_count_is_sound(const struct profile *profile, unsigned n, unsigned n_sub)
{
	if (n <= profile->n_parity || n % profile->n_copies != 0)
		return false;
	if ((n - profile->n_parity) / profile->n_copies > profile->most_columns)
		return false;
	return profile->bit != BTRFS_BLOCK_GROUP_RAID10 || n_sub == profile->n_copies;
}

static int parse_stripes(struct cursor *c, struct chunk *chunk)
{
	for (unsigned i = 0; i < chunk->n_stripes; i++) {
		struct stripe *stripe = &chunk->stripes[i];
		uint64_t end;

		stripe->devid = cursor_le64(c);
		stripe->physical = cursor_le64(c);
		cursor_skip(c, 16); /* the device's UUID */
		if (__builtin_add_overflow(stripe->physical, chunk->len, &end))
			return -EUCLEAN;
	}
	return c->error || c->left ? -EUCLEAN : 0;
}

static int chunk_parse(uint64_t logical, struct span item, uint32_t sector_size,
		       struct chunk **ret)
{
	struct cursor c = cursor_of(item);
	g_autofree struct chunk *chunk = NULL;
	const struct profile *profile;
	uint64_t len, stripe_bytes, type, end;
	uint32_t chunk_sector_size;
	unsigned n, n_sub;
	int r;

	len = cursor_le64(&c);
	cursor_skip(&c, 8); /* owner */
	stripe_bytes = cursor_le64(&c);
	type = cursor_le64(&c);
	cursor_skip(&c, 8); /* io_align, io_width */
	chunk_sector_size = cursor_le32(&c);
	n = cursor_le16(&c);
	n_sub = cursor_le16(&c);
	if (c.error || !type_is_sound(type) || chunk_sector_size != sector_size)
		return -EUCLEAN;
	if (len == 0 || len % sector_size || logical % sector_size ||
	    stripe_bytes != CHUNK_STRIPE_BYTES || __builtin_add_overflow(logical, len, &end))
		return -EUCLEAN;
	profile = profile_of(type);
	if (!profile || !stripe_count_is_sound(profile, n, n_sub))
		return -EUCLEAN;
	chunk = g_try_malloc0(chunk_bytes(n));
	if (!chunk)
		return -ENOMEM;
	*chunk = (struct chunk){ .logical = logical, .len = len, .type = type,
				 .profile = profile, .n_stripes = n };
	r = parse_stripes(&c, chunk);
	if (r == 0)
		*ret = g_steal_pointer(&chunk);
	return r;
}

static bool chunk_equal(const struct chunk *a, const struct chunk *b)
{
	return a->logical == b->logical && a->len == b->len && a->type == b->type &&
	       a->n_stripes == b->n_stripes &&
	       memcmp(a->stripes, b->stripes, a->n_stripes * sizeof(a->stripes[0])) == 0;
}

int chunk_map_add(ChunkMap *map, uint64_t logical, struct span item, uint32_t sector_size)
{
	g_autofree struct chunk *chunk = NULL;
	size_t n = count_up_to(map, logical);
	int r;

	assert(!map->sealed);
	if (sector_size == 0)
		return -EUCLEAN;
	r = chunk_parse(logical, item, sector_size, &chunk);
	if (r < 0)
		return r;
	if (n > 0) {
		const struct chunk *before = chunk_at(map, n - 1);

		if (chunk_equal(before, chunk))
			return -EEXIST;
		if (logical - before->logical < before->len)
			return -EUCLEAN;
	}
	if (n < map->chunks->len && chunk_at(map, n)->logical - logical < chunk->len)
		return -EUCLEAN;
	if (map->chunks->len >= INT_MAX)
		return -ENOMEM;
	g_ptr_array_insert(map->chunks, (int)n, g_steal_pointer(&chunk));
	return 0;
}

int chunk_map_add_array(ChunkMap *map, struct span array, uint32_t sector_size)
{
	struct cursor c = cursor_of(array);

	while (c.left > 0) {
		struct span key = cursor_bytes(&c, DISK_KEY_LEN);
		struct span item;
		size_t len;
		int r;

		if (c.left < CHUNK_ITEM_LEN || key.data[8] != BTRFS_CHUNK_ITEM_KEY ||
		    load_le64(key.data) != BTRFS_FIRST_CHUNK_TREE_OBJECTID)
			return -EUCLEAN;
		len = load_le16(c.at + CHUNK_ITEM_N_STRIPES);
		item = cursor_bytes(&c, CHUNK_ITEM_LEN + len * STRIPE_LEN);
		if (c.error)
			return c.error;
		r = chunk_map_add(map, load_le64(key.data + 9), item, sector_size);
		if (r < 0 && r != -EEXIST)
			return r;
	}
	return 0;
}

unsigned chunk_map_ways(const ChunkMap *map, uint64_t logical)
{
	const struct chunk *chunk = chunk_lookup(map, logical);

	return chunk ? chunk_ways(chunk) : 0;
}

uint64_t chunk_map_left(const ChunkMap *map, uint64_t logical)
{
	const struct chunk *chunk = chunk_lookup(map, logical);

	return chunk ? chunk->len - (logical - chunk->logical) : 0;
}

uint64_t chunk_map_type(const ChunkMap *map, uint64_t logical)
{
	const struct chunk *chunk = chunk_lookup(map, logical);

	return chunk ? chunk->type : 0;
}

int chunk_map_find(const ChunkMap *map, uint64_t logical, unsigned way, struct chunk_place *ret)
{
	const struct chunk *chunk = chunk_lookup(map, logical);

	if (!chunk)
		return -ENOENT;
	if (way >= chunk_ways(chunk))
		return -ERANGE;
	chunk->profile->place(chunk, logical - chunk->logical, way, ret);
	return 0;
}

int chunk_map_part(const ChunkMap *map, uint64_t logical, unsigned way, unsigned part,
		   struct chunk_part *ret)
{
	struct chunk_place place;
	const int r = chunk_map_find(map, logical, way, &place);
	const struct chunk *chunk = chunk_lookup(map, logical);

	if (r < 0)
		return r;
	if (part >= place.n_parts)
		return -ERANGE;
	chunk_part(chunk, logical - chunk->logical, way, part, ret);
	return 0;
}

bool chunk_map_lacks(const ChunkMap *map, chunk_has_device_fn has, const void *user,
		     uint64_t *ret_devid, uint64_t *ret_type)
{
	for (size_t i = 0; i < map->chunks->len; i++) {
		const struct chunk *chunk = chunk_at(map, i);

		if (!chunk_lacks(chunk, has, user, ret_devid))
			continue;
		*ret_type = chunk->type;
		return true;
	}
	return false;
}

bool chunk_map_misses(const ChunkMap *map, chunk_has_device_fn has, const void *user,
		      uint64_t *ret_devid)
{
	for (size_t i = 0; i < map->chunks->len; i++) {
		const struct chunk *chunk = chunk_at(map, i);

		for (unsigned s = 0; s < chunk->n_stripes; s++) {
			if (has(chunk->stripes[s].devid, user))
				continue;
			*ret_devid = chunk->stripes[s].devid;
			return true;
		}
	}
	return false;
}

uint64_t chunk_map_device_end(const ChunkMap *map, uint64_t devid)
{
	uint64_t end = 0;

	for (size_t i = 0; i < map->chunks->len; i++) {
		const struct chunk *chunk = chunk_at(map, i);

		for (unsigned s = 0; s < chunk->n_stripes; s++)
			if (chunk->stripes[s].devid == devid)
				end = MAX(end, chunk->stripes[s].physical +
						       chunk_stripe_len(chunk));
	}
	return end;
}
