#include "btrfs/codec/decompress.h"
#include "support/bytes.h"
#include "support/compress.h"
#include <zstd.h>

#define SECTOR 4096u
#define EXTENT_MOST (128u * 1024)

static const uint8_t types[] = { BTRFS_COMPRESS_NONE, BTRFS_COMPRESS_ZLIB, BTRFS_COMPRESS_LZO,
				 BTRFS_COMPRESS_ZSTD };

static int run(uint8_t type, struct span in, void *out, size_t len)
{
	return decompress(type, in, SECTOR, out, len);
}

/* Text, noise (which gets longer) and a mix of both. */
static void fill(uint8_t *data, size_t len, unsigned kind)
{
	if (kind == 0)
		fill_text(data, len, len);
	else
		fill_noise(data, len, len);
	if (kind == 2)
		fill_text(data, len / 2, 5);
	if (kind == 3)
		memset(data, 0, len);
}

/* Exact, shorter and longer outputs, with and without padding behind. */
static void check_extent(uint8_t type, const uint8_t *data, size_t len)
{
	g_autoptr(GByteArray) stored = compress_extent(type, span_of(data, len));
	const size_t wanted[] = { len, len + 1, len + 9000, len - 1, len / 2, 1, 0 };

	for (size_t i = 0; i < G_N_ELEMENTS(wanted); i++) {
		g_autofree uint8_t *in = copy_exact(span_of_bytes(stored));
		g_autofree uint8_t *out = g_malloc(wanted[i] + 1);
		size_t same = MIN(wanted[i], len);

		memset(out, 0xa5, wanted[i]);
		g_assert_cmpint(run(type, span_of(in, stored->len), out, wanted[i]), ==, 0);
		g_assert_cmpint(memcmp(out, data, same), ==, 0);
		for (size_t at = same; at < wanted[i]; at++)
			g_assert_cmphex(out[at], ==, 0);
	}
	if (type != BTRFS_COMPRESS_NONE) {
		g_autofree uint8_t *out = g_malloc(len + 100);

		put_zeros(stored, SECTOR - stored->len % SECTOR);
		g_assert_cmpint(run(type, span_of_bytes(stored), out, len + 100), ==, 0);
		g_assert_cmpint(memcmp(out, data, len), ==, 0);
		g_assert_cmphex(out[len], ==, 0);
	}
}

static void test_sizes(void)
{
	static const size_t lens[] = { 1,	   100,	       2000, SECTOR - 1, SECTOR,
				       SECTOR + 1, 3 * SECTOR, 9000, EXTENT_MOST };

	for (size_t t = 0; t < G_N_ELEMENTS(types); t++)
		for (size_t l = 0; l < G_N_ELEMENTS(lens); l++)
			for (unsigned kind = 0; kind < 4; kind++) {
				g_autofree uint8_t *data = g_malloc(lens[l]);

				fill(data, lens[l], kind);
				check_extent(types[t], data, lens[l]);
			}
}

/* Whatever is missing: an error, unless all that is wanted is there. */
static void test_truncated(void)
{
	uint8_t data[3 * SECTOR], out[3 * SECTOR];

	fill(data, sizeof(data), 2);
	for (size_t t = 1; t < G_N_ELEMENTS(types); t++) {
		g_autoptr(GByteArray) stored = compress_extent(types[t],
							       span_of(data, sizeof(data)));

		for (size_t len = 0; len < stored->len; len++) {
			g_autofree uint8_t *in = copy_exact(span_of(stored->data, len));
			int r = run(types[t], span_of(in, len), out, sizeof(out));

			if (r == 0)
				g_assert_cmpint(memcmp(out, data, sizeof(out)), ==, 0);
			else
				g_assert_cmpint(r, ==, -EUCLEAN);
			if (len < stored->len - 16)
				g_assert_cmpint(r, ==, -EUCLEAN);
		}
	}
}

static void check_damaged(struct span damaged, void *user)
{
	uint8_t *type = user, out[600];
	int r = run(*type, damaged, out, sizeof(out));

	g_assert_true(r == 0 || r == -EUCLEAN);
}

static void test_damaged(void)
{
	uint8_t data[700];

	fill(data, sizeof(data), 2);
	for (size_t t = 0; t < G_N_ELEMENTS(types); t++) {
		g_autoptr(GByteArray) stored = compress_extent(types[t],
							       span_of(data, sizeof(data)));
		uint8_t type = types[t];

		for_each_damage(span_of_bytes(stored), check_damaged, &type);
	}
}

static void test_noise(void)
{
	for (unsigned seed = 0; seed < 500; seed++) {
		uint8_t in[300];
		uint8_t type = types[seed % 4];

		fill_noise(in, sizeof(in), seed);
		if (type == BTRFS_COMPRESS_LZO) {
			store_le32(in, sizeof(in));
			store_le32(in + 4, 100);
		}
		check_damaged(span_of(in, sizeof(in)), &type);
	}
}

static void test_unknown(void)
{
	uint8_t out[10] = { 0 };

	g_assert_cmpint(run(4, span_str("abc"), out, sizeof(out)), ==, -EOPNOTSUPP);
	g_assert_cmpint(run(255, span_str("abc"), out, 0), ==, -EOPNOTSUPP);
}

/* A segment's header never crosses a sector: noise makes segments of such
 * lengths that every number of bytes left occurs sooner or later. */
static void test_lzo_sector_ends(void)
{
	static uint8_t data[EXTENT_MOST], out[EXTENT_MOST];
	bool seen[4] = { false };

	for (size_t text = 0; text < 1500; text++) {
		g_autoptr(GByteArray) stored = NULL;
		size_t at = 4, left;

		fill_noise(data, 2 * SECTOR, text);
		memset(data, 0, text);
		stored = compress_extent(BTRFS_COMPRESS_LZO, span_of(data, 2 * SECTOR));
		at += 4 + load_le32(stored->data + at);
		left = SECTOR - at % SECTOR;
		if (left < 4)
			seen[left] = true;
		g_assert_cmpint(run(BTRFS_COMPRESS_LZO, span_of_bytes(stored), out, 2 * SECTOR),
				==, 0);
		g_assert_cmpint(memcmp(out, data, 2 * SECTOR), ==, 0);
	}
	g_assert_true(seen[1] && seen[2] && seen[3]);
}

static void assert_lzo_bad(const GByteArray *stored, size_t at, uint32_t value)
{
	g_autofree uint8_t *in = copy_exact(span_of_bytes(stored));
	uint8_t out[SECTOR];

	store_le32(in + at, value);
	g_assert_cmpint(run(BTRFS_COMPRESS_LZO, span_of(in, stored->len), out, sizeof(out)), ==,
			-EUCLEAN);
}

static void test_lzo_lengths(void)
{
	uint8_t data[1000];
	g_autoptr(GByteArray) stored = NULL;

	fill_text(data, sizeof(data), 1);
	stored = compress_extent(BTRFS_COMPRESS_LZO, span_of(data, sizeof(data)));
	assert_lzo_bad(stored, 0, 0);
	assert_lzo_bad(stored, 0, 3);
	assert_lzo_bad(stored, 0, 6);
	assert_lzo_bad(stored, 0, stored->len + 1);
	assert_lzo_bad(stored, 0, stored->len - 1);
	assert_lzo_bad(stored, 0, UINT32_MAX);
	assert_lzo_bad(stored, 4, 0);
	assert_lzo_bad(stored, 4, stored->len - 7);
	assert_lzo_bad(stored, 4, UINT32_MAX);
}

/* A segment may not hold more than a sector. */
static void test_lzo_segment_too_long(void)
{
	uint8_t data[SECTOR], out[SECTOR];
	g_autoptr(GByteArray) stored = NULL;

	fill_text(data, sizeof(data), 1);
	stored = compress_extent(BTRFS_COMPRESS_LZO, span_of(data, sizeof(data)));
	g_assert_cmpint(decompress(BTRFS_COMPRESS_LZO, span_of_bytes(stored), SECTOR / 2, out,
				   sizeof(out)), ==, -EUCLEAN);
}

/* A frame that wants more history than the format allows is refused, however
 * little it holds: its window would be memory that the disk names. */
static void test_zstd_window(void)
{
	g_autofree uint8_t *data = g_malloc0(1 << 20);
	g_autofree uint8_t *out = g_malloc(1 << 20);
	g_autofree uint8_t *stored = g_malloc(1 << 20);
	ZSTD_CCtx *context = ZSTD_createCCtx();
	ZSTD_inBuffer from = { data, 1 << 20, 0 };
	ZSTD_outBuffer to = { stored, 1 << 20, 0 };

	ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, 20);
	while (ZSTD_compressStream2(context, &to, &from, ZSTD_e_continue) && from.pos < from.size)
		continue;
	while (ZSTD_compressStream2(context, &to, &from, ZSTD_e_end))
		continue;
	ZSTD_freeCCtx(context);
	g_assert_cmpint(run(BTRFS_COMPRESS_ZSTD, span_of(stored, to.pos), out, 4096), ==,
			-EUCLEAN);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/decompress/sizes", test_sizes);
	g_test_add_func("/decompress/truncated", test_truncated);
	g_test_add_func("/decompress/damaged", test_damaged);
	g_test_add_func("/decompress/noise", test_noise);
	g_test_add_func("/decompress/unknown", test_unknown);
	g_test_add_func("/decompress/lzo-sector-ends", test_lzo_sector_ends);
	g_test_add_func("/decompress/lzo-lengths", test_lzo_lengths);
	g_test_add_func("/decompress/lzo-segment-too-long", test_lzo_segment_too_long);
	g_test_add_func("/decompress/zstd-window", test_zstd_window);
	return g_test_run();
}
