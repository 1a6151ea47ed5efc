#include "btrfs/volume/volume.h"
#include <errno.h>

/*
 * RAID5 and RAID6 against a model that is written down row by row, with sums
 * and products done bit by bit.
 */
#define SECTOR 4096u
#define STRIPE ((size_t)65536)
#define DEVICES_MOST 9u
#define BASE ((uint64_t)1 << 30)

struct model {
	unsigned n, n_parity, rows;
	size_t len; /* of data */
	uint8_t *data;
	uint8_t *devices[DEVICES_MOST];
};

static size_t at_of(unsigned device) /* where the chunk begins on it */
{
	return (device + 1) * SECTOR;
}

static size_t device_len(const struct model *model)
{
	return at_of(DEVICES_MOST) + model->rows * STRIPE;
}

static unsigned times_two(unsigned byte)
{
	return (byte << 1 ^ (byte & 0x80 ? 0x11d : 0)) & 0x1ff;
}

static void model_free(struct model *model)
{
	for (unsigned i = 0; i < model->n; i++)
		g_free(model->devices[i]);
	g_free(model->data);
	g_free(model);
}

typedef struct model Model;
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Model, model_free)

/* Row by row: the data, P, Q, each row begun one device further on. */
static void write_row(Model *model, unsigned row)
{
	const unsigned columns = model->n - model->n_parity;

	for (size_t i = 0; i < STRIPE; i++) {
		unsigned p = 0, q = 0;

		for (unsigned c = columns; c-- > 0;) {
			const unsigned byte = model->data[(row * columns + c) * STRIPE + i];
			const unsigned device = (row + c) % model->n;

			model->devices[device][at_of(device) + row * STRIPE + i] = (uint8_t)byte;
			p ^= byte;
			q = times_two(q) ^ byte;
		}
		for (unsigned k = 0; k < model->n_parity; k++) {
			const unsigned device = (row + columns + k) % model->n;

			model->devices[device][at_of(device) + row * STRIPE + i] =
				(uint8_t)(k == 0 ? p : q);
		}
	}
}

static Model *model_new(unsigned n, unsigned n_parity)
{
	Model *model = g_new0(Model, 1);
	uint32_t random = n * 100 + n_parity;

	model->n = n;
	model->n_parity = n_parity;
	model->rows = n + 1;
	model->len = model->rows * (n - n_parity) * STRIPE;
	model->data = g_malloc(model->len);
	for (size_t i = 0; i < model->len; i++) {
		random = random * 1664525 + 1013904223;
		model->data[i] = (uint8_t)(random >> 24);
	}
	for (unsigned i = 0; i < n; i++)
		model->devices[i] = g_malloc0(device_len(model));
	for (unsigned row = 0; row < model->rows; row++)
		write_row(model, row);
	return model;
}

/* Without the devices in @lost; @len of the chunk may cut the last row. */
static Volume *volume_of(const Model *model, unsigned lost, uint64_t len)
{
	uint8_t item[48 + DEVICES_MOST * 32] = { 0 };
	Volume *volume = volume_new();
	ChunkMap *map = chunk_map_new();

	store_le64(item, len);
	store_le64(item + 16, STRIPE);
	store_le64(item + 24, BTRFS_BLOCK_GROUP_DATA | (model->n_parity == 1 ?
							BTRFS_BLOCK_GROUP_RAID5 :
							BTRFS_BLOCK_GROUP_RAID6));
	store_le32(item + 40, SECTOR);
	store_le16(item + 44, (uint16_t)model->n);
	for (unsigned i = 0; i < model->n; i++) {
		store_le64(item + 48 + i * 32, i + 1);
		store_le64(item + 56 + i * 32, at_of(i));
		if (!(lost & 1u << i))
			volume_add_device(volume, i + 1, "memory",
					  byte_source_new_memory(model->devices[i],
								 device_len(model)));
	}
	g_assert_cmpint(chunk_map_add(map, BASE, span_of(item, 48 + model->n * 32), SECTOR), ==,
			0);
	chunk_map_seal(map);
	volume_set_map(volume, map);
	return volume;
}

static void assert_range(Volume *volume, const Model *model, unsigned way, size_t from, size_t len)
{
	g_autofree uint8_t *got = g_malloc(len);

	g_assert_cmpint(volume_read(volume, BASE + from, way, got, len), ==, 0);
	g_assert_cmpint(memcmp(got, model->data + from, len), ==, 0);
}

static void each_model(void (*test)(const Model *model))
{
	static const unsigned cases[][2] = { { 2, 1 }, { 3, 1 }, { 4, 1 }, { 7, 1 },
					     { 3, 2 }, { 4, 2 }, { 5, 2 }, { 9, 2 } };

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(Model) model = model_new(cases[i][0], cases[i][1]);

		test(model);
	}
}

/* Every way gives every byte, whatever else is in the stripe that it rebuilds. */
static void check_ways(const Model *model)
{
	g_autoptr(Volume) volume = volume_of(model, 0, model->len);
	const unsigned ways = model->n_parity == 1 ? 2 : model->n;
	g_autofree char *first = volume_describe(volume, BASE, 0);
	g_autofree char *second = volume_describe(volume, BASE, 1);

	g_assert_cmpstr(first, ==, "memory (devid 1) at 4096");
	g_assert_cmpstr(second, ==, "rebuild 1 from parity");
	for (size_t from = 0; from < model->len; from += STRIPE) {
		g_assert_cmpuint(volume_copies(volume, BASE + from), ==, ways);
		for (unsigned way = 0; way < ways; way++)
			assert_range(volume, model, way, from, STRIPE);
	}
	for (unsigned way = 0; way < ways; way++)
		assert_range(volume, model, way, 0, model->len);
}

static void test_ways(void)
{
	each_model(check_ways);
}

/* Any set of devices that is lost leaves all of the data or, one beyond the
 * parity, the stripes that are still there. */
static void check_lost(const Model *model)
{
	for (unsigned lost = 0; lost < 1u << model->n; lost++) {
		const unsigned n_lost = (unsigned)__builtin_popcount(lost);
		g_autoptr(Volume) volume = NULL;
		uint64_t devid = 0, type;

		if (n_lost > model->n_parity + 1)
			continue;
		volume = volume_of(model, lost, model->len);
		g_assert_cmpint(volume_misses_device(volume, &devid), ==, n_lost > 0);
		g_assert_cmpint(volume_lacks_device(volume, &devid, &type), ==,
				n_lost > model->n_parity);
		if (n_lost <= model->n_parity) {
			assert_range(volume, model, 0, 0, model->len);
			continue;
		}
		for (size_t from = 0; from < model->len; from += STRIPE) {
			const unsigned columns = model->n - model->n_parity;
			const unsigned device =
				(unsigned)(from / STRIPE / columns + from / STRIPE % columns) %
				model->n;
			uint8_t byte;

			g_assert_cmpuint(volume_copies(volume, BASE + from), ==, 1);
			if (lost & 1u << device)
				g_assert_cmpint(volume_read(volume, BASE + from, 0, &byte, 1), ==,
						-ENODEV);
			else
				assert_range(volume, model, 0, from, STRIPE);
		}
	}
}

static void test_lost(void)
{
	each_model(check_lost);
}

/* What is readable and wrong: one way at least does without it, also when as
 * many devices as leave one parity are lost. */
static void check_bad(const Model *model)
{
	for (unsigned bad = 0; bad < model->n; bad++)
		for (unsigned lost = 0; lost < model->n; lost++) {
			const bool with_lost = model->n_parity == 2 && lost != bad;
			const unsigned mask = with_lost ? 1u << lost : 0;
			g_autoptr(Volume) volume = NULL;
			const size_t from = 5 * STRIPE % model->len;
			uint8_t *byte, got[SECTOR];
			bool good = false;

			volume = volume_of(model, mask, model->len);
			byte = model->devices[bad] + at_of(bad);
			for (unsigned row = 0; row < model->rows; row++)
				byte[row * STRIPE + 77] ^= 0x41;
			for (unsigned way = 0; way < volume_copies(volume, BASE + from); way++) {
				g_assert_cmpint(volume_read(volume, BASE + from, way, got, SECTOR),
						==, 0);
				good = good || memcmp(got, model->data + from, SECTOR) == 0;
			}
			g_assert_true(good);
			for (unsigned row = 0; row < model->rows; row++)
				byte[row * STRIPE + 77] ^= 0x41;
		}
}

static void test_bad(void)
{
	each_model(check_bad);
}

/* Ranges of any length and place, across stripes, by each way. */
static void check_slices(const Model *model)
{
	g_autoptr(Volume) whole = volume_of(model, 0, model->len);
	g_autoptr(Volume) degraded = volume_of(model, 1u << 1, model->len);
	uint32_t random = model->n;

	for (unsigned i = 0; i < 300; i++) {
		size_t from, len;

		random = random * 1664525 + 1013904223;
		from = random % (model->len - 1);
		random = random * 1664525 + 1013904223;
		len = 1 + (random >> 8) % MIN(i < 200 ? 100 : 2 * STRIPE, model->len - from);
		assert_range(whole, model, i % (model->n_parity + 1), from, len);
		assert_range(degraded, model, 0, from, len);
	}
}

static void test_slices(void)
{
	each_model(check_slices);
}

/* Counts the requests; a request is one read of any number of buffers. */
struct counted {
	const uint8_t *data;
	unsigned n;
};

static int counted_read(void *user, uint64_t offset, void *buffer, size_t len)
{
	struct counted *counted = user;

	counted->n++;
	memcpy(buffer, counted->data + offset, len);
	return 0;
}

static int counted_readv(void *user, uint64_t offset, const struct iovec *buffers, unsigned n)
{
	struct counted *counted = user;

	for (unsigned i = 0; i < n; i++) {
		counted_read(user, offset, buffers[i].iov_base, buffers[i].iov_len);
		counted->n--;
		offset += buffers[i].iov_len;
	}
	counted->n++;
	return 0;
}

static const struct byte_source_ops counted_ops = { .read = counted_read,
						    .readv = counted_readv };

static void check_blocks(const Model *model, unsigned lost, unsigned expected)
{
	enum { N = 12, LEN = 16384 };
	g_autofree uint8_t *got = g_malloc(N * LEN);
	struct counted counted[DEVICES_MOST] = { 0 };
	g_autoptr(Volume) volume = volume_of(model, ~0u, model->len);
	void *blocks[N];
	unsigned n = 0;

	for (unsigned i = 0; i < model->n; i++) {
		counted[i].data = model->devices[i];
		if (!(lost & 1u << i))
			volume_add_device(volume, i + 1, "counted",
					  byte_source_new(&counted_ops, &counted[i],
							  device_len(model)));
	}
	for (unsigned i = 0; i < N; i++)
		blocks[i] = got + (N - 1 - i) * LEN;
	g_assert_cmpint(volume_read_blocks(volume, BASE, 0, blocks, N, LEN), ==, 0);
	for (unsigned i = 0; i < N; i++)
		g_assert_cmpint(memcmp(blocks[i], model->data + i * LEN, LEN), ==, 0);
	for (unsigned i = 0; i < model->n; i++)
		n += counted[i].n;
	g_assert_cmpuint(n, ==, expected);
}

/* Three stripes of four blocks each. */
static void test_blocks(void)
{
	g_autoptr(Model) model = model_new(5, 2);

	check_blocks(model, 0, 3);
	check_blocks(model, 1u << 4, 3);
	check_blocks(model, 1u << 1, 2 + 3);
	check_blocks(model, 1u << 0 | 1u << 1, 1 + 3 + 3);
}

/* Blocks that nobody wants are passed over, whether read or rebuilt. */
static void test_unwanted(void)
{
	enum { N = 12, LEN = 16384 };
	g_autoptr(Model) model = model_new(5, 2);

	for (unsigned lost = 0; lost < 4; lost++) {
		g_autofree uint8_t *got = g_malloc0(N * LEN);
		g_autoptr(Volume) volume = volume_of(model, lost, model->len);
		void *blocks[N] = { NULL };

		for (unsigned i = 0; i < N; i += 3)
			blocks[i] = got + i * LEN;
		g_assert_cmpint(volume_read_blocks(volume, BASE, 0, blocks, N, LEN), ==, 0);
		for (unsigned i = 0; i < N; i += 3)
			g_assert_cmpint(memcmp(blocks[i], model->data + i * LEN, LEN), ==, 0);
	}
}

/* A chunk that ends within a row: the row's parity is of the whole row. */
static void test_cut(void)
{
	g_autoptr(Model) model = model_new(4, 1);
	const size_t len = model->len - 2 * STRIPE - SECTOR;

	for (unsigned lost = 0; lost < 4; lost++) {
		g_autoptr(Volume) volume = volume_of(model, 1u << lost, len);
		uint8_t byte;

		assert_range(volume, model, 0, 0, len);
		g_assert_cmpint(volume_read(volume, BASE + len, 0, &byte, 1), ==, -ENOENT);
		g_assert_cmpuint(volume_device_end(volume, lost + 1), ==,
				 at_of(lost) + model->rows * STRIPE);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/parity/ways", test_ways);
	g_test_add_func("/parity/lost", test_lost);
	g_test_add_func("/parity/bad", test_bad);
	g_test_add_func("/parity/slices", test_slices);
	g_test_add_func("/parity/blocks", test_blocks);
	g_test_add_func("/parity/unwanted", test_unwanted);
	g_test_add_func("/parity/cut", test_cut);
	return g_test_run();
}
