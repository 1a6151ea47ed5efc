#include "btrfs/codec/checksum.h"
#include "support/bytes.h"
#include <linux/btrfs_tree.h>
#include <pthread.h>

/* Of the ASCII digits 1 to 9, from the algorithms' own test vectors or
 * computed by independent implementations. */
static const struct {
	uint16_t type;
	const char *name, *hex;
} known[] = {
	{ BTRFS_CSUM_TYPE_CRC32, "crc32c", "839206e3" },
	{ BTRFS_CSUM_TYPE_XXHASH, "xxhash64", "83aee640db41b88c" },
	{ BTRFS_CSUM_TYPE_SHA256, "sha256",
	  "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225" },
	{ BTRFS_CSUM_TYPE_BLAKE2, "blake2b",
	  "16e0bf1f85594a11e75030981c0b670370b3ad83a43f49ae58a2fd6f6513cde9" },
};

static void assert_hex(const uint8_t *got, size_t len, const char *hex)
{
	g_autoptr(GString) text = g_string_new(NULL);

	for (size_t i = 0; i < len; i++)
		g_string_append_printf(text, "%02x", got[i]);
	g_assert_cmpstr(text->str, ==, hex);
}

static void test_known(void)
{
	for (size_t i = 0; i < G_N_ELEMENTS(known); i++) {
		uint8_t csum[CHECKSUM_MAX_LEN];
		unsigned len = checksum_len(known[i].type);

		memset(csum, 0xa5, sizeof(csum));
		checksum_compute(known[i].type, "123456789", 9, csum);
		assert_hex(csum, len, known[i].hex);
		for (; len < sizeof(csum); len++)
			g_assert_cmphex(csum[len], ==, 0xa5);
		g_assert_cmpstr(checksum_name(known[i].type), ==, known[i].name);
	}
}

static void test_unknown(void)
{
	g_assert_cmpuint(checksum_len(4), ==, 0);
	g_assert_cmpuint(checksum_len(UINT16_MAX), ==, 0);
	g_assert_null(checksum_name(4));
}

/* The definition: the reflected polynomial 0x82f63b78, bit by bit. */
static uint32_t crc32c_by_bits(uint32_t crc, const uint8_t *data, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		crc ^= data[i];
		for (unsigned bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ 0x82f63b78 : crc >> 1;
	}
	return crc;
}

static void test_crc32c_bare(void)
{
	static const uint32_t starts[] = { 0, 1, 0xfffffffe, UINT32_MAX, 0x12345678 };
	uint8_t data[700];

	fill_noise(data, sizeof(data), 1);
	for (size_t s = 0; s < G_N_ELEMENTS(starts); s++)
		for (size_t len = 0; len <= sizeof(data) - 9; len++)
			g_assert_cmphex(crc32c_bare(starts[s], data + len % 9, len), ==,
					crc32c_by_bits(starts[s], data + len % 9, len));
	/* In two steps as in one. */
	g_assert_cmphex(crc32c_bare(crc32c_bare(7, data, 100), data + 100, 600), ==,
			crc32c_bare(7, data, 700));
}

static void *compute_all(void *user)
{
	(void)user;
	for (unsigned i = 0; i < 20; i++)
		test_known();
	return NULL;
}

/* First in the program, so that the libraries are begun by many at once. */
static void test_threads(void)
{
	pthread_t threads[4];

	for (unsigned i = 0; i < G_N_ELEMENTS(threads); i++)
		g_assert_cmpint(pthread_create(&threads[i], NULL, compute_all, NULL), ==, 0);
	for (unsigned i = 0; i < G_N_ELEMENTS(threads); i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/checksum/a-threads", test_threads);
	g_test_add_func("/checksum/known", test_known);
	g_test_add_func("/checksum/unknown", test_unknown);
	g_test_add_func("/checksum/crc32c-bare", test_crc32c_bare);
	return g_test_run();
}
