#include "compare/extent_diff.h"
#include "support/items.h"
#include "support/subvolume.h"
#include "unit/inode/trees.h"

/* docs/send-order.md, sections 10.2 and 10.3. */

struct fixture {
	struct trees trees;
	InodeReader *old;
};

static void set_up(struct fixture *f, const char *extents)
{
	g_autofree char *text =
		g_strdup_printf("257 file 7 a data=0+4k@64m\n258 file 7 f %s\n259 file 7 z "
				"data=0+4k@64m", extents);
	struct tree tree;

	trees_begin(&f->trees, 0, 0);
	tree = trees_put_text(&f->trees, 300, text);
	f->old = inode_reader_new(&tree);
}

static void tear_down(struct fixture *f)
{
	inode_reader_free(f->old);
	trees_end(&f->trees);
}

#define NONE "size=0"

/* @item: the first extent item of a file made of this text. */
static int unchanged(const char *extents, const char *item)
{
	g_autofree char *text = g_strdup_printf("258 file 7 f %s", item);
	g_autoptr(ItemSet) items = subvolume_items(text);
	struct extent_item extent;
	struct fixture f;
	int r = -1;

	for (size_t i = 0; i < item_set_count(items); i++) {
		const struct block_item at = item_set_at(items, i);

		if (at.key.type != BTRFS_EXTENT_DATA_KEY)
			continue;
		extent.offset = at.key.offset;
		g_assert_cmpint(file_extent_parse(at.data, &extent.extent), ==, 0);
		set_up(&f, extents);
		r = extent_unchanged(f.old, 258, &extent);
		tear_down(&f);
	}
	return r;
}

static void test_same_item(void)
{
	g_assert_cmpint(unchanged("data=0+64k@16m", "data=0+64k@16m"), ==, 1);
	g_assert_cmpint(unchanged("data=0+64k@16m", "data=0+64k@32m"), ==, 0);
	g_assert_cmpint(unchanged("data=0+64k@16m", "data=0+64k@16m+4k"), ==, 0);
	g_assert_cmpint(unchanged("data=0+64k@16m", "data=0+64k@16m/8"), ==, 0);
	g_assert_cmpint(unchanged("data=0+64k@16m", "data=4k+64k@16m"), ==, 0);
	g_assert_cmpint(unchanged("hole=0+64k", "hole=0+64k"), ==, 1);
	/* Never these. */
	g_assert_cmpint(unchanged("inline=x", "inline=x"), ==, 0);
	g_assert_cmpint(unchanged("prealloc=0+64k@16m", "prealloc=0+64k@16m"), ==, 0);
	g_assert_cmpint(unchanged("prealloc=0+64k@16m", "data=0+64k@16m"), ==, 0);
	g_assert_cmpint(unchanged("inline=x", "data=0+4k@16m"), ==, 0);
}

/* Cut otherwise, but the same bytes in the same places. */
static void test_cuts(void)
{
	/* Split: the item is within the old one. */
	g_assert_cmpint(unchanged("data=0+64k@16m", "data=0+16k@16m"), ==, 1);
	g_assert_cmpint(unchanged("data=0+64k@16m", "data=16k+16k@16m+16k"), ==, 1);
	g_assert_cmpint(unchanged("data=0+64k@16m", "data=16k+16k@16m+20k"), ==, 0);
	g_assert_cmpint(unchanged("data=0+64k@16m", "data=48k+32k@16m+48k"), ==, 0);
	/* Merged: the item covers several old ones. */
	g_assert_cmpint(unchanged("data=0+16k@16m data=16k+48k@16m+16k", "data=0+64k@16m"), ==, 1);
	g_assert_cmpint(unchanged("data=0+16k@16m data=16k+40k@16m+16k", "data=0+64k@16m"), ==, 0);
	g_assert_cmpint(unchanged("data=0+16k@16m data=20k+44k@16m+20k", "data=0+64k@16m"), ==, 0);
	g_assert_cmpint(unchanged("data=0+16k@16m data=16k+48k@32m+16k", "data=0+64k@16m"), ==, 0);
	g_assert_cmpint(unchanged("data=0+16k@16m data=16k+48k@16m+16k/8", "data=0+64k@16m"), ==,
			0);
	g_assert_cmpint(unchanged("data=0+16k@16m prealloc=16k+48k@16m+16k", "data=0+64k@16m"), ==,
			0);
	/* What lies behind the item does not count. */
	g_assert_cmpint(unchanged("data=0+16k@16m data=16k+48k@32m", "data=0+16k@16m"), ==, 1);
	/* Begins before the item. */
	g_assert_cmpint(unchanged("data=0+32k@16m data=32k+32k@16m+32k", "data=16k+48k@16m+16k"),
			==, 1);
}

/* No old item there: only an explicit hole says the same. */
static void test_nothing_there(void)
{
	g_assert_cmpint(unchanged(NONE, "data=0+64k@16m"), ==, 0);
	g_assert_cmpint(unchanged(NONE, "hole=0+64k"), ==, 1);
	g_assert_cmpint(unchanged("data=64k+4k@16m", "data=0+64k@16m"), ==, 0);
	g_assert_cmpint(unchanged("data=64k+4k@16m", "hole=0+64k"), ==, 1);
	g_assert_cmpint(unchanged("data=0+4k@16m", "data=64k+64k@16m+64k"), ==, 0);
	g_assert_cmpint(unchanged("data=0+4k@16m", "hole=64k+64k"), ==, 1);
	g_assert_cmpint(unchanged("data=0+64k@16m", "hole=0+64k"), ==, 0);
	/* Inline data counts as a whole page. */
	g_assert_cmpint(unchanged("inline=x", "hole=4k+4k"), ==, 1);
	g_assert_cmpint(unchanged("inline=x", "hole=0+4k"), ==, 0);
}

static int is_hole(const char *extents, uint64_t start, uint64_t end)
{
	struct fixture f;
	int r;

	set_up(&f, extents);
	r = range_is_hole(f.old, 258, start, end);
	tear_down(&f);
	return r;
}

static void test_holes(void)
{
	static const char gap[] = "data=0+64k@16m data=128k+64k@32m";

	g_assert_cmpint(is_hole(NONE, 0, 4096), ==, 1);
	g_assert_cmpint(is_hole(NONE, 0, UINT64_MAX), ==, 1);
	g_assert_cmpint(is_hole(gap, 65536, 131072), ==, 1);
	g_assert_cmpint(is_hole(gap, 65535, 131072), ==, 0);
	g_assert_cmpint(is_hole(gap, 65536, 131073), ==, 0);
	g_assert_cmpint(is_hole(gap, 70000, 80000), ==, 1);
	g_assert_cmpint(is_hole(gap, 0, 1), ==, 0);
	g_assert_cmpint(is_hole(gap, 192 << 10, 1 << 20), ==, 1);
	g_assert_cmpint(is_hole(gap, (192 << 10) - 1, 1 << 20), ==, 0);
	g_assert_cmpint(is_hole("data=128k+64k@32m", 0, 4096), ==, 1);
	g_assert_cmpint(is_hole("data=128k+64k@32m", 0, 131073), ==, 0);
	g_assert_cmpint(is_hole("hole=0+64k", 0, 65536), ==, 1);
	g_assert_cmpint(is_hole("hole=0+64k data=64k+4k@16m", 0, 65537), ==, 0);
	g_assert_cmpint(is_hole("prealloc=0+64k@16m", 0, 65536), ==, 0);
	g_assert_cmpint(is_hole("inline=x", 0, 4096), ==, 0);
	g_assert_cmpint(is_hole("inline=x", 4096, 8192), ==, 1);
	g_assert_cmpint(is_hole("inline=x", 4095, 8192), ==, 0);
}

/* ---- damage ---- */

struct damage_test {
	struct trees trees;
	unsigned n_errors;
};

static void compare_damaged(const ItemSet *damaged, int bit, void *user)
{
	struct damage_test *test = user;
	const struct extent_item item = { .offset = 0, .extent = example_extent(16 << 20, 65536) };
	struct tree tree;
	InodeReader *old;
	int same, hole;

	(void)bit;
	trees_restart(&test->trees);
	tree = trees_put(&test->trees, 300, damaged);
	old = inode_reader_new(&tree);
	same = extent_unchanged(old, 258, &item);
	hole = range_is_hole(old, 258, 0, 65536);
	g_assert_true(same == 0 || same == 1 || same == -EUCLEAN);
	g_assert_true(hole == 0 || hole == 1 || hole == -EUCLEAN);
	/* Never both. */
	g_assert_false(same == 1 && hole == 1);
	test->n_errors += same < 0;
	inode_reader_free(old);
}

static void test_damage(void)
{
	g_autoptr(ItemSet) items = subvolume_items("258 file 7 f data=0+32k@16m "
						   "data=32k+32k@16m+32k");
	struct damage_test test = { 0 };

	trees_begin(&test.trees, 0, 0);
	trees_for_each_damage(items, KEY(258, BTRFS_EXTENT_DATA_KEY, 0), compare_damaged, &test);
	g_assert_cmpuint(test.n_errors, >=, 53);
	test.n_errors = 0;
	trees_for_each_damage(items, KEY(258, BTRFS_EXTENT_DATA_KEY, 32768), compare_damaged,
			      &test);
	g_assert_cmpuint(test.n_errors, >=, 53);
	trees_end(&test.trees);
}

/* Ranges up to the end of what 64 bits can say. */
static void test_far_ends(void)
{
	const struct extent_item item = { .offset = UINT64_MAX - 4095,
					  .extent = example_extent(16 << 20, 65536) };
	g_autoptr(ItemSet) items = subvolume_items("258 file 7 f data=0+4k@16m");
	const struct file_extent extent = example_extent(16 << 20, 65536);
	GByteArray *bytes = g_byte_array_new();
	struct fixture f;
	struct tree tree;
	int r;

	put_file_extent(bytes, &extent);
	item_set_put(items, KEY(258, BTRFS_EXTENT_DATA_KEY, item.offset), bytes);
	trees_begin(&f.trees, 0, 0);
	tree = trees_put(&f.trees, 300, items);
	f.old = inode_reader_new(&tree);
	r = extent_unchanged(f.old, 258, &item);
	g_assert_true(r == 0 || r == 1);
	r = range_is_hole(f.old, 258, item.offset, UINT64_MAX);
	g_assert_true(r == 0 || r == 1);
	r = range_is_hole(f.old, 258, 4096, UINT64_MAX);
	g_assert_true(r == 0 || r == 1);
	tear_down(&f);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/extent_diff/same_item", test_same_item);
	g_test_add_func("/extent_diff/cuts", test_cuts);
	g_test_add_func("/extent_diff/nothing_there", test_nothing_there);
	g_test_add_func("/extent_diff/holes", test_holes);
	g_test_add_func("/extent_diff/damage", test_damage);
	g_test_add_func("/extent_diff/far_ends", test_far_ends);
	return g_test_run();
}
