#include "support/tree.h"
#include "btrfs/codec/checksum.h"
#include "support/bytes.h"

/* That the trees of the test support are what they are taken for. */

#define NODE_SIZE 4096u
#define HEADER_LEN 101u

struct walk {
	const Image *image;
	const struct block_format *format;
	const ItemSet *expected;
	size_t at; /* next item of @expected */
};

static struct key load_key(const uint8_t *at)
{
	return KEY(load_le64(at), at[8], load_le64(at + 9));
}

static void check_leaf_item(struct walk *walk, const uint8_t *block, const uint8_t *slot)
{
	const struct block_item want = item_set_at(walk->expected, walk->at++);
	const struct key key = load_key(slot);
	const uint32_t offset = load_le32(slot + 17), len = load_le32(slot + 21);

	g_assert_cmpint(key_compare(&key, &want.key), ==, 0);
	g_assert_cmpuint(HEADER_LEN + offset + len, <=, NODE_SIZE);
	g_assert_true(span_equal(span_of(block + HEADER_LEN + offset, len), want.data));
}

static void check_header(struct walk *walk, const struct tree_root *want, const uint8_t *block)
{
	uint8_t csum[CHECKSUM_MAX_LEN];

	checksum_compute(walk->format->csum_type, block + 32, NODE_SIZE - 32, csum);
	g_assert_cmpint(memcmp(csum, block, 4), ==, 0);
	g_assert_cmpint(memcmp(block + 32, walk->format->fsid, 16), ==, 0);
	g_assert_cmpuint(load_le64(block + 48), ==, want->logical);
	g_assert_cmpuint(load_le64(block + 80), ==, want->generation);
	g_assert_cmpuint(block[100], ==, want->level);
}

static void walk_block(struct walk *walk, struct tree_root want)
{
	const uint8_t *block = walk->image->data + want.logical;
	const uint32_t n = load_le32(block + 96);

	check_header(walk, &want, block);
	for (uint32_t i = 0; i < n; i++) {
		const uint8_t *slot = block + HEADER_LEN + i * (want.level ? 33 : 25);

		if (want.level == 0) {
			check_leaf_item(walk, block, slot);
			continue;
		}
		const struct key first = item_set_at(walk->expected, walk->at).key;
		const struct key key = load_key(slot);

		g_assert_cmpint(key_compare(&key, &first), ==, 0);
		walk_block(walk, (struct tree_root){ load_le64(slot + 17), load_le64(slot + 25),
						     (uint8_t)(want.level - 1) });
	}
}

static void check_tree(const Image *image, const struct block_format *format,
		       const ItemSet *items, struct tree_root root)
{
	struct walk walk = { image, format, items, 0 };

	walk_block(&walk, root);
	g_assert_cmpuint(walk.at, ==, item_set_count(items));
}

static ItemSet *make_items(uint64_t n)
{
	ItemSet *items = item_set_new();
	uint8_t data[200];

	for (uint64_t i = 0; i < n; i++) {
		fill_noise(data, sizeof(data), i);
		item_set_put_span(items, KEY(i * 7919 % n, 1, i), span_of(data, i % 200));
	}
	return items;
}

static void test_tree(void)
{
	const struct block_format format = example_format(NODE_SIZE);
	static const uint64_t counts[] = { 0, 1, 10, 3000 };

	for (size_t i = 0; i < G_N_ELEMENTS(counts); i++) {
		g_autoptr(Image) image = image_new(8 << 20);
		g_autoptr(ItemSet) items = make_items(counts[i]);
		g_autoptr(TreeBuilder) builder = tree_builder_new(image, &format, 0, 5);
		struct tree_root root = tree_builder_write(builder, items, 5, 9);

		g_assert_cmpuint(root.generation, ==, 9);
		g_assert_cmpuint(root.level, ==, counts[i] < 20 ? 0 : 3);
		check_tree(image, &format, items, root);
	}
}

static void test_sharing(void)
{
	const struct block_format format = example_format(NODE_SIZE);
	g_autoptr(Image) image = image_new(8 << 20);
	g_autoptr(TreeBuilder) builder = tree_builder_new(image, &format, 10, 4);
	g_autoptr(ItemSet) before = make_items(1000), after = item_set_copy(before);
	struct tree_root old_root = tree_builder_write(builder, before, 256, 5), new_root;
	size_t written = tree_builder_written(builder);

	new_root = tree_builder_write(builder, after, 257, 6);
	g_assert_cmpuint(new_root.logical, ==, old_root.logical);
	g_assert_cmpuint(new_root.generation, ==, 5);
	item_set_remove(after, item_set_at(after, 500).key);
	new_root = tree_builder_write(builder, after, 257, 6);
	g_assert_cmpuint(new_root.generation, ==, 6);
	g_assert_cmpuint(new_root.level, ==, old_root.level);
	g_assert_cmpuint(tree_builder_written(builder), ==, written + new_root.level + 1);
	check_tree(image, &format, before, old_root);
	check_tree(image, &format, after, new_root);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/built-tree/tree", test_tree);
	g_test_add_func("/built-tree/sharing", test_sharing);
	return g_test_run();
}
