#include "btrfs/volume/chunk_map.h"

#define SECTOR 4096u
#define MIB ((uint64_t)1024 * 1024)
#define BASE (16 * MIB)
#define LEN (8 * MIB)
#define ITEM_MOST (48 + 4 * 32)

/* A CHUNK_ITEM at BASE; stripe i is on device i + 1 (DUP: all on 1) at
 * (i + 1) * 1 GiB. */
static struct span chunk_build(uint8_t *at, uint64_t type, unsigned n, unsigned n_sub)
{
	memset(at, 0, ITEM_MOST);
	store_le64(at, LEN);
	store_le64(at + 8, 2);
	store_le64(at + 16, 64 * 1024);
	store_le64(at + 24, type);
	store_le32(at + 32, 64 * 1024);
	store_le32(at + 36, 64 * 1024);
	store_le32(at + 40, SECTOR);
	store_le16(at + 44, (uint16_t)n);
	store_le16(at + 46, (uint16_t)n_sub);
	for (unsigned i = 0; i < n; i++) {
		store_le64(at + 48 + i * 32, type & BTRFS_BLOCK_GROUP_DUP ? 1 : i + 1);
		store_le64(at + 56 + i * 32, (i + 1) * 1024 * MIB);
	}
	return span_of(at, 48 + n * 32);
}

static ChunkMap *map_of(uint64_t profile, unsigned n, unsigned n_sub)
{
	uint8_t bytes[ITEM_MOST];
	struct span item = chunk_build(bytes, BTRFS_BLOCK_GROUP_DATA | profile, n, n_sub);
	ChunkMap *map = chunk_map_new();

	g_assert_cmpint(chunk_map_add(map, BASE, item, SECTOR), ==, 0);
	chunk_map_seal(map);
	return map;
}

static void assert_place(const ChunkMap *map, uint64_t offset, unsigned copy, uint64_t devid,
			 uint64_t physical, uint64_t len)
{
	struct chunk_place place = { 0 };

	g_assert_cmpint(chunk_map_find(map, BASE + offset, copy, &place), ==, 0);
	g_assert_cmpuint(place.devid, ==, devid);
	g_assert_cmpuint(place.physical, ==, physical);
	g_assert_cmpuint(place.len, ==, len);
}

static void test_whole(void)
{
	static const struct {
		uint64_t profile;
		unsigned n;
	} cases[] = { { 0, 1 },
		      { BTRFS_BLOCK_GROUP_DUP, 2 },
		      { BTRFS_BLOCK_GROUP_RAID1, 2 },
		      { BTRFS_BLOCK_GROUP_RAID1C3, 3 },
		      { BTRFS_BLOCK_GROUP_RAID1C4, 4 } };

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(ChunkMap) map = map_of(cases[i].profile, cases[i].n, 1);
		const bool dup = cases[i].profile == BTRFS_BLOCK_GROUP_DUP;
		struct chunk_place place;

		g_assert_cmpuint(chunk_map_ways(map, BASE + LEN - 1), ==, cases[i].n);
		g_assert_cmpuint(chunk_map_ways(map, BASE + LEN), ==, 0);
		g_assert_cmpuint(chunk_map_ways(map, BASE - 1), ==, 0);
		g_assert_cmpuint(chunk_map_left(map, BASE + 5), ==, LEN - 5);
		g_assert_cmpuint(chunk_map_type(map, BASE), ==,
				 BTRFS_BLOCK_GROUP_DATA | cases[i].profile);
		for (unsigned copy = 0; copy < cases[i].n; copy++)
			assert_place(map, 70000, copy, dup ? 1 : copy + 1,
				     (copy + 1) * 1024 * MIB + 70000, LEN - 70000);
		g_assert_cmpint(chunk_map_find(map, BASE, cases[i].n, &place), ==, -ERANGE);
		g_assert_cmpint(chunk_map_find(map, BASE + LEN, 0, &place), ==, -ENOENT);
	}
}

static void test_striped(void)
{
	g_autoptr(ChunkMap) raid0 = map_of(BTRFS_BLOCK_GROUP_RAID0, 3, 1);
	g_autoptr(ChunkMap) raid10 = map_of(BTRFS_BLOCK_GROUP_RAID10, 4, 2);
	const uint64_t stripe = 64 * 1024;

	assert_place(raid0, 0, 0, 1, 1024 * MIB, stripe);
	assert_place(raid0, stripe + 4096, 0, 2, 2048 * MIB + 4096, stripe - 4096);
	assert_place(raid0, 7 * stripe, 0, 2, 2048 * MIB + 2 * stripe, stripe);
	assert_place(raid10, 0, 0, 1, 1024 * MIB, stripe);
	assert_place(raid10, 0, 1, 2, 2048 * MIB, stripe);
	assert_place(raid10, stripe, 0, 3, 3072 * MIB, stripe);
	assert_place(raid10, 3 * stripe + 1, 1, 4, 4096 * MIB + stripe + 1, stripe - 1);
}

static void test_refused(void)
{
	g_autoptr(ChunkMap) map = chunk_map_new();
	uint8_t bytes[ITEM_MOST];
	struct span item = chunk_build(bytes, BTRFS_BLOCK_GROUP_DATA | BTRFS_BLOCK_GROUP_RAID5, 1, 1);

	g_assert_cmpint(chunk_map_add(map, BASE, item, SECTOR), ==, -EUCLEAN);
	g_assert_cmpstr(chunk_profile_name(chunk_item_type(item)), ==, "RAID5");
	g_assert_cmpstr(chunk_profile_name(BTRFS_BLOCK_GROUP_DATA), ==, "single");
	item = chunk_build(bytes, BTRFS_BLOCK_GROUP_DATA | BTRFS_BLOCK_GROUP_RAID6, 2, 1);
	g_assert_cmpint(chunk_map_add(map, BASE, item, SECTOR), ==, -EUCLEAN);
	item = chunk_build(bytes, BTRFS_BLOCK_GROUP_DATA, 2, 1);
	g_assert_cmpint(chunk_map_add(map, BASE, item, SECTOR), ==, -EUCLEAN);
	item = chunk_build(bytes, BTRFS_BLOCK_GROUP_DATA | BTRFS_BLOCK_GROUP_RAID10, 3, 2);
	g_assert_cmpint(chunk_map_add(map, BASE, item, SECTOR), ==, -EUCLEAN);
	item = chunk_build(bytes, BTRFS_BLOCK_GROUP_DATA | BTRFS_BLOCK_GROUP_RAID0, 0, 1);
	g_assert_cmpint(chunk_map_add(map, BASE, item, SECTOR), ==, -EUCLEAN);
	item = chunk_build(bytes, BTRFS_BLOCK_GROUP_DATA, 1, 1);
	g_assert_cmpint(chunk_map_add(map, BASE + 1, item, SECTOR), ==, -EUCLEAN);
	g_assert_cmpint(chunk_map_add(map, UINT64_MAX & ~0xfffull, item, SECTOR), ==, -EUCLEAN);
	g_assert_cmpint(chunk_map_add(map, BASE, item, 2 * SECTOR), ==, -EUCLEAN);
	g_assert_cmpint(chunk_map_add(map, BASE, item, 0), ==, -EUCLEAN);
	g_assert_cmpuint(chunk_map_count(map), ==, 0);
}

static void test_overlaps(void)
{
	g_autoptr(ChunkMap) map = chunk_map_new();
	uint8_t bytes[ITEM_MOST];
	struct span item = chunk_build(bytes, BTRFS_BLOCK_GROUP_DATA, 1, 1);

	g_assert_cmpint(chunk_map_add(map, BASE, item, SECTOR), ==, 0);
	g_assert_cmpint(chunk_map_add(map, BASE, item, SECTOR), ==, -EEXIST);
	g_assert_cmpint(chunk_map_add(map, BASE + SECTOR, item, SECTOR), ==, -EUCLEAN);
	g_assert_cmpint(chunk_map_add(map, BASE - SECTOR, item, SECTOR), ==, -EUCLEAN);
	g_assert_cmpint(chunk_map_add(map, BASE + 3 * LEN, item, SECTOR), ==, 0);
	g_assert_cmpint(chunk_map_add(map, BASE + LEN, item, SECTOR), ==, 0);
	g_assert_cmpint(chunk_map_add(map, BASE - LEN, item, SECTOR), ==, 0);
	bytes[56] ^= 0x10;
	g_assert_cmpint(chunk_map_add(map, BASE, item, SECTOR), ==, -EUCLEAN);
	chunk_map_seal(map);
	g_assert_cmpuint(chunk_map_count(map), ==, 4);
	g_assert_cmpuint(chunk_map_left(map, BASE + LEN - 1), ==, 1);
	g_assert_cmpuint(chunk_map_left(map, BASE + 2 * LEN), ==, 0);
	g_assert_cmpuint(chunk_map_left(map, BASE + 4 * LEN - 1), ==, 1);
}

/* Whatever is wrong: an error, or a map whose answers are within bounds. */
static void probe(struct span item)
{
	g_autoptr(ChunkMap) map = chunk_map_new();
	int r = chunk_map_add(map, BASE, item, SECTOR);

	g_assert_true(r == 0 || r == -EUCLEAN);
	chunk_map_seal(map);
	for (unsigned copy = 0; copy < chunk_map_ways(map, BASE); copy++) {
		const uint64_t left = chunk_map_left(map, BASE);
		struct chunk_place place;

		g_assert_cmpint(chunk_map_find(map, BASE + left - 1, copy, &place), ==, 0);
		g_assert_cmpuint(place.len, ==, 1);
	}
}

static uint8_t *copy_of(const uint8_t *bytes, size_t len)
{
	uint8_t *copy = g_malloc(len);

	if (len)
		memcpy(copy, bytes, len);
	return copy;
}

static void test_damage(void)
{
	static const struct {
		uint64_t profile;
		unsigned n, n_sub;
	} cases[] = { { 0, 1, 1 },
		      { BTRFS_BLOCK_GROUP_DUP, 2, 1 },
		      { BTRFS_BLOCK_GROUP_RAID0, 4, 1 },
		      { BTRFS_BLOCK_GROUP_RAID10, 4, 2 },
		      { BTRFS_BLOCK_GROUP_RAID5, 3, 1 },
		      { BTRFS_BLOCK_GROUP_RAID6, 4, 1 } };

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		uint8_t bytes[ITEM_MOST];
		struct span item = chunk_build(bytes, BTRFS_BLOCK_GROUP_DATA | cases[i].profile,
					       cases[i].n, cases[i].n_sub);

		for (size_t bit = 0; bit < item.len * 8; bit++) {
			bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
			probe(item);
			bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		}
		for (size_t len = 0; len < item.len; len++) {
			g_autofree uint8_t *cut = copy_of(item.data, len);
			g_autoptr(ChunkMap) map = chunk_map_new();

			g_assert_cmpint(chunk_map_add(map, BASE, span_of(cut, len), SECTOR), ==,
					-EUCLEAN);
		}
	}
}

static void put_key(uint8_t *at, uint64_t logical)
{
	store_le64(at, BTRFS_FIRST_CHUNK_TREE_OBJECTID);
	at[8] = BTRFS_CHUNK_ITEM_KEY;
	store_le64(at + 9, logical);
}

static void test_array(void)
{
	uint8_t array[2 * (17 + ITEM_MOST)];
	const size_t one = 17 + 48 + 32, both = one + 17 + 48 + 2 * 32;

	put_key(array, BASE);
	chunk_build(array + 17, BTRFS_BLOCK_GROUP_SYSTEM, 1, 1);
	put_key(array + one, BASE + LEN);
	chunk_build(array + one + 17, BTRFS_BLOCK_GROUP_SYSTEM | BTRFS_BLOCK_GROUP_DUP, 2, 1);
	for (size_t len = 0; len <= both; len++) {
		g_autofree uint8_t *cut = copy_of(array, len);
		g_autoptr(ChunkMap) map = chunk_map_new();
		int r = chunk_map_add_array(map, span_of(cut, len), SECTOR);

		g_assert_cmpint(r, ==, len == 0 || len == one || len == both ? 0 : -EUCLEAN);
		g_assert_cmpuint(chunk_map_count(map), ==,
				 0u + (len >= one) + (len >= both));
		if (r == 0)
			g_assert_cmpint(chunk_map_add_array(map, span_of(cut, len), SECTOR), ==, 0);
	}
	array[8] = BTRFS_DEV_ITEM_KEY;
	g_autoptr(ChunkMap) map = chunk_map_new();
	g_assert_cmpint(chunk_map_add_array(map, span_of(array, both), SECTOR), ==, -EUCLEAN);
}

static bool has_in_mask(uint64_t devid, const void *user)
{
	return *(const unsigned *)user & 1u << devid;
}

static bool lacks(const ChunkMap *map, unsigned mask)
{
	uint64_t devid = 0;
	uint64_t type = 0;
	bool r = chunk_map_lacks(map, has_in_mask, &mask, &devid, &type);

	g_assert_true(!r || type != 0);

	g_assert_true(!r || !(mask & 1u << devid));
	return r;
}

static void test_lacks(void)
{
	g_autoptr(ChunkMap) single = map_of(0, 1, 1);
	g_autoptr(ChunkMap) raid1 = map_of(BTRFS_BLOCK_GROUP_RAID1, 2, 1);
	g_autoptr(ChunkMap) raid10 = map_of(BTRFS_BLOCK_GROUP_RAID10, 4, 2);

	g_autoptr(ChunkMap) raid0 = map_of(BTRFS_BLOCK_GROUP_RAID0, 4, 1);
	g_autoptr(ChunkMap) raid5 = map_of(BTRFS_BLOCK_GROUP_RAID5, 3, 1);
	g_autoptr(ChunkMap) raid6 = map_of(BTRFS_BLOCK_GROUP_RAID6, 4, 1);

	g_assert_cmpuint(chunk_map_device_end(single, 1), ==, 1024 * MIB + LEN);
	g_assert_cmpuint(chunk_map_device_end(single, 2), ==, 0);
	g_assert_cmpuint(chunk_map_device_end(raid0, 4), ==, 4096 * MIB + LEN / 4);
	g_assert_false(lacks(single, 1u << 1));
	g_assert_true(lacks(single, 1u << 2));
	g_assert_false(lacks(raid1, 1u << 2));
	g_assert_true(lacks(raid1, 0));
	g_assert_false(lacks(raid10, 1u << 1 | 1u << 4));
	g_assert_true(lacks(raid10, 1u << 1 | 1u << 2));
	g_assert_cmpuint(chunk_map_device_end(raid6, 4), ==, 4096 * MIB + LEN / 2);
	g_assert_false(lacks(raid5, 1u << 1 | 1u << 3));
	g_assert_true(lacks(raid5, 1u << 1));
	g_assert_false(lacks(raid6, 1u << 2 | 1u << 3));
	g_assert_true(lacks(raid6, 1u << 4));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/chunk_map/whole", test_whole);
	g_test_add_func("/chunk_map/striped", test_striped);
	g_test_add_func("/chunk_map/refused", test_refused);
	g_test_add_func("/chunk_map/overlaps", test_overlaps);
	g_test_add_func("/chunk_map/damage", test_damage);
	g_test_add_func("/chunk_map/array", test_array);
	g_test_add_func("/chunk_map/lacks", test_lacks);
	return g_test_run();
}
