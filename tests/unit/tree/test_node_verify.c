#include "btrfs/tree/node_verify.h"
#include "support/blocks.h"
#include "support/bytes.h"

#define LOGICAL UINT64_C(0x1234000)
#define GENERATION UINT64_C(77)
#define NODE_SIZE 4096u

struct sample {
	struct block_format format;
	struct node_format node_format;
	struct node_want want;
	uint8_t *block;
};

static void sample_clear(struct sample *sample)
{
	g_free(sample->block);
}

static struct sample sample_begin(uint8_t level)
{
	struct sample sample = {
		.format = example_format(NODE_SIZE),
		.want = { .logical = LOGICAL, .generation = GENERATION, .level = level,
			  .has_first_key = true, .first_key = KEY(256, 1, 0) },
	};

	sample.node_format.node_size = NODE_SIZE;
	memcpy(sample.node_format.fsid, sample.format.fsid, 16);
	return sample;
}

static const struct block_head leaf_head = { .logical = LOGICAL, .generation = GENERATION };
static const struct block_head node_head = { .logical = LOGICAL, .generation = GENERATION,
					     .level = 1 };

static struct sample leaf_sample(size_t n)
{
	struct sample sample = sample_begin(0);
	struct block_item items[20];
	static const char data[] = "some bytes of an item";

	for (size_t i = 0; i < n; i++)
		items[i] = (struct block_item){ .key = KEY(256 + i / 3, (uint8_t)(1 + i % 3), 0),
						.data = span_of(data, i) };
	sample.block = build_leaf(&sample.format, &leaf_head, items, n);
	return sample;
}

static struct sample node_sample(size_t n)
{
	struct sample sample = sample_begin(1);
	struct block_pointer pointers[20];

	for (size_t i = 0; i < n; i++)
		pointers[i] = (struct block_pointer){ .key = KEY(256 + i, 1, 0),
						      .logical = (i + 1) * 4096,
						      .generation = 5 };
	sample.block = build_node(&sample.format, &node_head, pointers, n);
	return sample;
}

static int verify(const struct sample *sample)
{
	g_autofree uint8_t *exact = copy_exact(span_of(sample->block, NODE_SIZE));

	return node_verify(&sample->node_format, &sample->want, exact);
}

static int verify_sealed(struct sample *sample)
{
	block_seal(&sample->format, sample->block);
	return verify(sample);
}

/* What uses a verified block must stay inside of it. */
static void use_all(const struct sample *sample)
{
	g_autofree uint8_t *exact = copy_exact(span_of(sample->block, NODE_SIZE));
	const Node node = { .block = exact, .size = NODE_SIZE,
			    .n_items = load_le32(exact + 96), .level = exact[100] };
	unsigned sum = 0;

	for (unsigned slot = 0; slot < node.n_items; slot++) {
		const struct key key = node_key(&node, slot);

		g_assert_cmpuint(node_lower_bound(&node, &key), ==, slot);
		if (node.level) {
			g_assert_cmpuint(node_child_logical(&node, slot), !=, 0);
			continue;
		}
		for (size_t i = 0; i < node_item(&node, slot).len; i++)
			sum += node_item(&node, slot).data[i];
	}
	g_assert_cmpuint(sum, <, UINT_MAX);
}

static void flip_every_bit(struct sample *sample)
{
	g_assert_cmpint(verify(sample), ==, 0);
	for (size_t bit = 0; bit < (size_t)NODE_SIZE * 8; bit++) {
		const uint8_t mask = (uint8_t)(1u << (bit % 8));

		sample->block[bit / 8] ^= mask;
		/* crc32c fills four of the 32 bytes for a checksum. */
		g_assert_cmpint(verify(sample), ==, bit >= 4 * 8 && bit < 32 * 8 ? 0 : -EBADMSG);
		sample->block[bit / 8] ^= mask;
	}
}

/* The same with a right checksum: refused, or harmless. */
static void flip_every_bit_sealed(struct sample *sample)
{
	size_t refused = 0;

	for (size_t bit = 32 * 8; bit < (size_t)NODE_SIZE * 8; bit++) {
		const uint8_t mask = (uint8_t)(1u << (bit % 8));
		int r;

		sample->block[bit / 8] ^= mask;
		r = verify_sealed(sample);
		if (r == 0)
			use_all(sample);
		refused += r < 0;
		sample->block[bit / 8] ^= mask;
	}
	g_assert_cmpuint(refused, >, (16 + 8 + 8 + 4 + 1) * 8);
}

static void test_leaf_flips(void)
{
	struct sample sample = leaf_sample(20);

	flip_every_bit(&sample);
	flip_every_bit_sealed(&sample);
	sample_clear(&sample);
}

static void test_node_flips(void)
{
	struct sample sample = node_sample(20);

	flip_every_bit(&sample);
	flip_every_bit_sealed(&sample);
	sample_clear(&sample);
}

static void test_wants(void)
{
	struct sample sample = leaf_sample(20);

	sample.want.generation++;
	g_assert_cmpint(verify(&sample), ==, -ESTALE);
	sample.want.level = 3; /* its level does not matter any more then */
	g_assert_cmpint(verify(&sample), ==, -ESTALE);
	sample.want.generation--;
	g_assert_cmpint(verify(&sample), ==, -EUCLEAN);
	sample.want.level = 0;
	sample.want.logical += 4096;
	g_assert_cmpint(verify(&sample), ==, -EUCLEAN);
	sample.want.logical -= 4096;
	sample.want.first_key.offset++;
	g_assert_cmpint(verify(&sample), ==, -EUCLEAN);
	sample.want.has_first_key = false;
	g_assert_cmpint(verify(&sample), ==, 0);
	sample.node_format.fsid[3] ^= 1;
	g_assert_cmpint(verify(&sample), ==, -EUCLEAN);
	sample.node_format.csum_type = 99;
	g_assert_cmpint(verify(&sample), ==, -EOPNOTSUPP);
	sample_clear(&sample);
}

static void test_empty(void)
{
	struct sample leaf = leaf_sample(0), node = node_sample(0);

	g_assert_cmpint(verify(&leaf), ==, -EUCLEAN);
	g_assert_cmpint(verify(&node), ==, -EUCLEAN);
	leaf.want.has_first_key = node.want.has_first_key = false;
	g_assert_cmpint(verify(&leaf), ==, 0);
	g_assert_cmpint(verify(&node), ==, -EUCLEAN);
	sample_clear(&leaf);
	sample_clear(&node);
}

/* Writes @value over @len bytes at @at, which must make the block unsound. */
static void refuse(struct sample (*make)(size_t), size_t at, uint64_t value, size_t len)
{
	struct sample sample = make(20);

	for (size_t i = 0; i < len; i++)
		sample.block[at + i] = (uint8_t)(value >> (8 * i));
	g_assert_cmpint(verify_sealed(&sample), ==, -EUCLEAN);
	sample_clear(&sample);
}

static void test_forged_leaf(void)
{
	const size_t item = NODE_HEADER_LEN + 5 * NODE_ITEM_LEN;
	const size_t last = NODE_HEADER_LEN + 19 * NODE_ITEM_LEN;

	refuse(leaf_sample, 96, UINT32_MAX, 4);
	refuse(leaf_sample, 96, 160, 4);
	refuse(leaf_sample, 96, 0, 4);
	refuse(leaf_sample, item, 256, 8);		  /* key not above the one before */
	refuse(leaf_sample, item + 17, 0, 4);		  /* offset */
	refuse(leaf_sample, item + 17, UINT32_MAX, 4);
	refuse(leaf_sample, item + 21, UINT32_MAX, 4);	  /* size */
	refuse(leaf_sample, last + 17, 10, 4);
}

/* The last item reaches into the array of items. */
static void test_forged_overlap(void)
{
	struct sample sample = leaf_sample(20);
	uint8_t *last = sample.block + NODE_HEADER_LEN + 19 * NODE_ITEM_LEN;
	const uint32_t end = load_le32(last + 17) + load_le32(last + 21);

	store_le32(last + 17, 20 * NODE_ITEM_LEN);
	store_le32(last + 21, end - 20 * NODE_ITEM_LEN);
	g_assert_cmpint(verify_sealed(&sample), ==, 0);
	store_le32(last + 17, 20 * NODE_ITEM_LEN - 1);
	store_le32(last + 21, end - 20 * NODE_ITEM_LEN + 1);
	g_assert_cmpint(verify_sealed(&sample), ==, -EUCLEAN);
	sample_clear(&sample);
}

static void test_forged_node(void)
{
	const size_t pointer = NODE_HEADER_LEN + 5 * NODE_POINTER_LEN;

	refuse(node_sample, 96, 122, 4);
	refuse(node_sample, 100, 0, 1);
	refuse(node_sample, 100, 255, 1);
	refuse(node_sample, pointer, 256, 8);
	refuse(node_sample, pointer, UINT64_MAX, 8);
	refuse(node_sample, pointer + 17, 0, 8);
	refuse(node_sample, pointer + 17, 4096 + 512, 8);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/node_verify/leaf/flips", test_leaf_flips);
	g_test_add_func("/node_verify/node/flips", test_node_flips);
	g_test_add_func("/node_verify/wants", test_wants);
	g_test_add_func("/node_verify/empty", test_empty);
	g_test_add_func("/node_verify/leaf/forged", test_forged_leaf);
	g_test_add_func("/node_verify/leaf/overlap", test_forged_overlap);
	g_test_add_func("/node_verify/node/forged", test_forged_node);
	return g_test_run();
}
