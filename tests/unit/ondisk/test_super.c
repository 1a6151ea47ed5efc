#include "support/super.h"
#include "btrfs/codec/checksum.h"
#include "support/bytes.h"
#include <errno.h>

#define FLAGS_AT 56u
#define LEAF_SIZE_AT 152u
#define DEV_FSID_AT 283u

static int parse(const uint8_t *bytes, struct super *ret, GError **error)
{
	return super_parse(span_of(bytes, SUPER_LEN), super_offset(0), ret, error);
}

/* Refused as @err with a text that has @text in it, and *ret untouched. */
static void assert_refused(const uint8_t *bytes, int err, const char *text)
{
	g_autoptr(GError) error = NULL;
	g_autofree struct super *ret = g_new(struct super, 1);
	g_autofree struct super *before = g_new(struct super, 1);

	memset(ret, 0xa5, sizeof(*ret));
	memset(before, 0xa5, sizeof(*before));
	g_assert_cmpint(parse(bytes, ret, &error), ==, err);
	g_assert_error(error, SUPER_ERROR, -err);
	if (!strstr(error->message, text))
		g_error("\"%s\" does not mention \"%s\"", error->message, text);
	g_assert_cmpint(memcmp(ret, before, sizeof(*ret)), ==, 0);
	g_assert_cmpint(parse(bytes, ret, NULL), ==, err);
}

static void assert_super_refused(const struct super *super, int err, const char *text)
{
	uint8_t bytes[SUPER_LEN];

	build_super(super, bytes);
	assert_refused(bytes, err, text);
}

static void assert_accepted(const struct super *super, uint64_t offset)
{
	g_autoptr(GError) error = NULL;
	uint8_t bytes[SUPER_LEN];
	struct super got;

	build_super(super, bytes);
	g_assert_cmpint(super_parse(span_of(bytes, SUPER_LEN), offset, &got, &error), ==, 0);
	g_assert_no_error(error);
}

static void test_offsets(void)
{
	g_assert_cmpuint(super_offset(0), ==, UINT64_C(65536));
	g_assert_cmpuint(super_offset(1), ==, UINT64_C(67108864));
	g_assert_cmpuint(super_offset(2), ==, UINT64_C(274877906944));
}

static void assert_root_equal(const struct super_root *a, const struct super_root *b)
{
	g_assert_cmpuint(a->logical, ==, b->logical);
	g_assert_cmpuint(a->generation, ==, b->generation);
	g_assert_cmpuint(a->level, ==, b->level);
}

static void test_fields(void)
{
	struct super super = example_super(), got = { 0 };
	uint8_t bytes[SUPER_LEN];

	super.log_root = (struct super_root){ .logical = 3 << 20, .level = 1 };
	super.compat_flags = 0x4000;
	build_super(&super, bytes);
	g_assert_cmpint(parse(bytes, &got, NULL), ==, 0);
	g_assert_cmpint(memcmp(got.fsid, super.fsid, 16), ==, 0);
	g_assert_cmpint(memcmp(got.metadata_uuid, super.fsid, 16), ==, 0);
	g_assert_cmpint(memcmp(got.dev_uuid, super.dev_uuid, 16), ==, 0);
	g_assert_cmpuint(got.bytenr, ==, 65536);
	g_assert_cmpuint(got.generation, ==, super.generation);
	assert_root_equal(&got.root, &super.root);
	assert_root_equal(&got.chunk_root, &super.chunk_root);
	assert_root_equal(&got.log_root, &super.log_root);
	g_assert_cmpuint(got.total_bytes, ==, super.total_bytes);
	g_assert_cmpuint(got.bytes_used, ==, super.bytes_used);
	g_assert_cmpuint(got.num_devices, ==, 1);
	g_assert_cmpuint(got.sector_size, ==, 4096);
	g_assert_cmpuint(got.node_size, ==, 16384);
	g_assert_cmphex(got.compat_flags, ==, 0x4000);
	g_assert_cmphex(got.compat_ro_flags, ==, 3);
	g_assert_cmphex(got.incompat_flags, ==, 0x341);
	g_assert_cmpuint(got.csum_type, ==, 0);
	g_assert_cmpuint(got.devid, ==, 1);
	g_assert_cmpstr(got.label, ==, "example");
	g_assert_cmpuint(got.sys_chunks_len, ==, super.sys_chunks_len);
	g_assert_cmpint(memcmp(got.sys_chunks, super.sys_chunks, got.sys_chunks_len), ==, 0);
}

static void test_variants(void)
{
	struct super super = example_super();

	for (super.csum_type = 0; super.csum_type < 4; super.csum_type++)
		assert_accepted(&super, super_offset(0));
	super.csum_type = 1;
	for (super.node_size = 4096; super.node_size <= 65536; super.node_size *= 2)
		assert_accepted(&super, super_offset(0));
	super.node_size = 16384;
	super.bytenr = super_offset(1);
	assert_accepted(&super, super_offset(1));
	super.bytenr = super_offset(0);
	memset(super.label, 'x', SUPER_LABEL_LEN);
	super.sys_chunks_len = SUPER_SYS_CHUNKS_MOST;
	super.compat_ro_flags = UINT64_MAX;
	super.compat_flags = UINT64_MAX;
	super.log_root = (struct super_root){ .logical = 12345, .level = 200 };
	assert_accepted(&super, super_offset(0));
}

static void test_metadata_uuid(void)
{
	struct super super = example_super(), got;
	uint8_t bytes[SUPER_LEN];

	super.incompat_flags |= UINT64_C(1) << 10;
	memset(super.metadata_uuid, 0x77, 16);
	build_super(&super, bytes);
	g_assert_cmpint(parse(bytes, &got, NULL), ==, 0);
	g_assert_cmpint(memcmp(got.fsid, super.fsid, 16), ==, 0);
	g_assert_cmpint(memcmp(got.metadata_uuid, super.metadata_uuid, 16), ==, 0);
}

static void test_no_btrfs(void)
{
	struct super super = example_super(), got;
	uint8_t bytes[SUPER_LEN] = { 0 };

	assert_refused(bytes, -ENOENT, "no btrfs");
	build_super(&super, bytes);
	memcpy(bytes + 64, "!BHRfS_M", 8); /* mkfs has begun and not ended */
	super_seal(bytes);
	assert_refused(bytes, -ENOENT, "no btrfs");
	for (size_t len = 0; len < SUPER_LEN; len++) {
		g_autofree uint8_t *copy = NULL;

		build_super(&super, bytes);
		copy = copy_exact(span_of(bytes, len));
		g_assert_cmpint(super_parse(span_of(copy, len), 65536, &got, NULL), ==, -ENOENT);
	}
}

static void test_features(void)
{
	static const struct {
		unsigned bit;
		const char *name; /* NULL: supported */
	} features[] = {
		{ 0, NULL }, { 1, NULL }, { 2, NULL }, { 3, NULL }, { 4, NULL }, { 5, NULL },
		{ 6, NULL }, { 7, NULL }, { 8, NULL }, { 9, NULL }, { 11, NULL }, { 16, NULL },
		{ 12, "zoned" }, { 13, "extent-tree-v2" }, { 14, "raid-stripe-tree" },
		{ 15, "encryption" }, { 17, "remap-tree" }, { 18, "0x40000" },
		{ 63, "0x8000000000000000" },
	};
	struct super super = example_super();

	for (size_t i = 0; i < G_N_ELEMENTS(features); i++) {
		super.incompat_flags = UINT64_C(1) << features[i].bit;
		if (features[i].name)
			assert_super_refused(&super, -EOPNOTSUPP, features[i].name);
		else
			assert_accepted(&super, super_offset(0));
	}
	super.incompat_flags = UINT64_C(3) << 12 | UINT64_C(3) << 40;
	assert_super_refused(&super, -EOPNOTSUPP, ": zoned, extent-tree-v2, 0x30000000000");
}

/* One thing wrong at a time, under a right checksum. */
static void test_values(void)
{
	const struct super good = example_super();
	static const uint32_t node_sizes[] = { 0, 2048, 4095, 12288, 131072, UINT32_MAX };
	static const uint32_t sys_lens[] = { 0, 96, SUPER_SYS_CHUNKS_MOST + 1, UINT32_MAX };
	struct super bad;

#define ASSERT_BAD(change, err, text)             \
	do {                                      \
		bad = good;                       \
		bad.change;                       \
		assert_super_refused(&bad, err, text); \
	} while (0)
	ASSERT_BAD(sector_size = 0, -EOPNOTSUPP, "sector size 0");
	ASSERT_BAD(sector_size = 65536, -EOPNOTSUPP, "sector size 65536");
	for (size_t i = 0; i < G_N_ELEMENTS(node_sizes); i++)
		ASSERT_BAD(node_size = node_sizes[i], -EUCLEAN, "node size");
	ASSERT_BAD(csum_type = 4, -EOPNOTSUPP, "checksum type 4");
	ASSERT_BAD(root.level = 8, -EUCLEAN, "level 8 of the root tree");
	ASSERT_BAD(chunk_root.level = 255, -EUCLEAN, "level 255 of the chunk tree");
	ASSERT_BAD(root.logical = 4097, -EUCLEAN, "root tree's address");
	ASSERT_BAD(chunk_root.logical = 1, -EUCLEAN, "chunk tree's address");
	ASSERT_BAD(num_devices = 0, -EUCLEAN, "devices");
	ASSERT_BAD(bytenr = 0, -EUCLEAN, "read at 65536");
	ASSERT_BAD(bytenr = super_offset(1), -EUCLEAN, "lies at 67108864");
	for (size_t i = 0; i < G_N_ELEMENTS(sys_lens); i++)
		ASSERT_BAD(sys_chunks_len = sys_lens[i], -EUCLEAN, "system chunk array");
#undef ASSERT_BAD
}

static void test_raw_fields(void)
{
	const struct super super = example_super();
	uint8_t bytes[SUPER_LEN];

	build_super(&super, bytes);
	store_le32(bytes + LEAF_SIZE_AT, 4096);
	super_seal(bytes);
	assert_refused(bytes, -EUCLEAN, "leaf size 4096");
	build_super(&super, bytes);
	bytes[DEV_FSID_AT] ^= 1;
	super_seal(bytes);
	assert_refused(bytes, -EUCLEAN, "another file system");
	build_super(&super, bytes);
	store_le64(bytes + FLAGS_AT, UINT64_C(1) << 36 | 1);
	super_seal(bytes);
	assert_refused(bytes, -EOPNOTSUPP, "0x1000000000");
}

/* Every bit counts: under the checksum, or in it. */
static void test_bit_flips(void)
{
	const struct super super = example_super();
	uint8_t bytes[SUPER_LEN];
	struct super got;

	build_super(&super, bytes);
	for (size_t bit = 0; bit < SUPER_LEN * 8; bit++) {
		int r;

		bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
		r = parse(bytes, &got, NULL);
		if (bit / 8 >= 4 && bit / 8 < 32)
			g_assert_cmpint(r, ==, 0); /* the field is longer than the crc */
		else
			g_assert_true(r == -EBADMSG || r == -ENOENT || r == -EOPNOTSUPP);
		bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
}

/* The same by who can compute a checksum: an error or values within bounds. */
static void test_bit_flips_sealed(void)
{
	const struct super super = example_super();
	uint8_t bytes[SUPER_LEN];
	struct super got;

	build_super(&super, bytes);
	for (size_t bit = 32 * 8; bit < SUPER_LEN * 8; bit++) {
		int r;

		bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
		super_seal(bytes);
		r = parse(bytes, &got, NULL);
		bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
		if (r) {
			g_assert_true(r == -ENOENT || r == -EUCLEAN || r == -EOPNOTSUPP);
			continue;
		}
		g_assert_cmpuint(got.sys_chunks_len, <=, SUPER_SYS_CHUNKS_MOST);
		g_assert_cmpuint(got.root.level, <, 8);
		g_assert_cmpuint(got.chunk_root.level, <, 8);
		g_assert_cmpuint(got.node_size, ==, 16384);
		g_assert_cmpuint(strlen(got.label), <=, SUPER_LABEL_LEN);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/super/offsets", test_offsets);
	g_test_add_func("/super/fields", test_fields);
	g_test_add_func("/super/variants", test_variants);
	g_test_add_func("/super/metadata-uuid", test_metadata_uuid);
	g_test_add_func("/super/no-btrfs", test_no_btrfs);
	g_test_add_func("/super/features", test_features);
	g_test_add_func("/super/values", test_values);
	g_test_add_func("/super/raw-fields", test_raw_fields);
	g_test_add_func("/super/bit-flips", test_bit_flips);
	g_test_add_func("/super/bit-flips-sealed", test_bit_flips_sealed);
	return g_test_run();
}
