#include "btrfs/ondisk/items.h"
#include "btrfs/codec/decompress.h"
#include "support/items.h"
#include <sys/stat.h>

/* Parses all of an item and reads what the result points at; 0 or an error. */
typedef int (*parse_fn)(struct span item);

static unsigned touch(struct span span)
{
	unsigned sum = 0;

	for (size_t i = 0; i < span.len; i++)
		sum += span.data[i];
	return sum;
}

static volatile unsigned touched;

static int parse_inode(struct span item)
{
	struct inode_item inode;

	return inode_item_parse(item, &inode);
}

static int parse_refs(struct span item)
{
	struct cursor c = cursor_of(item);
	struct inode_ref ref;
	int r = 0;

	while (r == 0 && c.left > 0) {
		r = inode_ref_next(&c, &ref);
		if (r == 0)
			touched += touch(ref.name);
	}
	return r;
}

static int parse_extrefs(struct span item)
{
	struct cursor c = cursor_of(item);
	struct inode_extref ref;
	int r = 0;

	while (r == 0 && c.left > 0) {
		r = inode_extref_next(&c, &ref);
		if (r == 0)
			touched += touch(ref.name);
	}
	return r;
}

static int parse_dir_entries(struct span item)
{
	struct cursor c = cursor_of(item);
	struct dir_entry entry;
	int r = 0;

	while (r == 0 && c.left > 0) {
		r = dir_entry_next(&c, &entry);
		if (r == 0)
			touched += touch(entry.name) + touch(entry.data);
	}
	return r;
}

static int parse_extent(struct span item)
{
	struct file_extent extent;
	int r = file_extent_parse(item, &extent);

	if (r == 0)
		touched += touch(extent.inline_data);
	return r;
}

static int parse_root(struct span item)
{
	struct root_item root;
	int r = root_item_parse(item, &root);

	if (r == 0)
		g_assert_cmpuint(root.level, <, 8);
	return r;
}

static int parse_root_ref(struct span item)
{
	struct root_ref ref;
	int r = root_ref_parse(item, &ref);

	if (r == 0)
		touched += touch(ref.name);
	return r;
}

static void check_damage(struct span damaged, void *user)
{
	int r = (*(parse_fn *)user)(damaged);

	g_assert_true(r == 0 || r == -EUCLEAN);
}

static void assert_survives(const GByteArray *item, parse_fn parse)
{
	g_assert_cmpint(parse(span_of_bytes(item)), ==, 0);
	for_each_damage(span_of_bytes(item), check_damage, &parse);
}

static void assert_bad(const GByteArray *item, parse_fn parse)
{
	g_assert_cmpint(parse(span_of_bytes(item)), ==, -EUCLEAN);
}

static void assert_times(const struct disk_time *a, const struct disk_time *b)
{
	g_assert_cmpuint(a->seconds, ==, b->seconds);
	g_assert_cmpuint(a->nanoseconds, ==, b->nanoseconds);
}

static void test_inode_item(void)
{
	struct inode_item inode = example_file(12345), got;
	g_autoptr(GByteArray) item = g_byte_array_new();

	inode.rdev = 8 << 20 | 3;
	inode.flags = 0x123456789a;
	put_inode_item(item, &inode);
	g_assert_cmpint(inode_item_parse(span_of_bytes(item), &got), ==, 0);
	g_assert_cmpuint(got.generation, ==, inode.generation);
	g_assert_cmpuint(got.transid, ==, inode.transid);
	g_assert_cmpuint(got.size, ==, 12345);
	g_assert_cmpuint(got.nbytes, ==, 12345);
	g_assert_cmpuint(got.rdev, ==, inode.rdev);
	g_assert_cmphex(got.flags, ==, inode.flags);
	g_assert_cmpuint(got.nlink, ==, 1);
	g_assert_cmpuint(got.uid, ==, 1000);
	g_assert_cmpuint(got.gid, ==, 100);
	g_assert_cmphex(got.mode, ==, S_IFREG | 0644);
	assert_times(&got.atime, &inode.atime);
	assert_times(&got.ctime, &inode.ctime);
	assert_times(&got.mtime, &inode.mtime);
	assert_times(&got.otime, &inode.otime);
	assert_survives(item, parse_inode);
	put_u8(item, 0);
	assert_bad(item, parse_inode);
}

static void test_inode_mode(void)
{
	static const uint32_t good[] = { S_IFREG, S_IFDIR, S_IFLNK,  S_IFCHR,
					 S_IFBLK, S_IFIFO, S_IFSOCK | 07777 };
	static const uint32_t bad[] = { 0, 0644, S_IFMT, 0030000, 0070000, 0x30000 };
	struct inode_item inode = example_file(0);

	for (size_t i = 0; i < G_N_ELEMENTS(good) + G_N_ELEMENTS(bad); i++) {
		g_autoptr(GByteArray) item = g_byte_array_new();
		bool is_good = i < G_N_ELEMENTS(good);

		inode.mode = is_good ? good[i] : bad[i - G_N_ELEMENTS(good)];
		put_inode_item(item, &inode);
		g_assert_cmpint(parse_inode(span_of_bytes(item)), ==, is_good ? 0 : -EUCLEAN);
	}
}

static char *long_name(size_t len)
{
	return g_strnfill(len, 'n');
}

static void test_inode_ref(void)
{
	g_autoptr(GByteArray) item = g_byte_array_new();
	g_autofree char *most = long_name(255), *more = long_name(256);
	struct inode_ref got;
	struct cursor c;

	put_inode_ref(item, 2, "first");
	put_inode_ref(item, UINT64_MAX, most);
	c = cursor_of(span_of_bytes(item));
	g_assert_cmpint(inode_ref_next(&c, &got), ==, 0);
	g_assert_cmpuint(got.index, ==, 2);
	g_assert_true(span_equal(got.name, span_str("first")));
	g_assert_cmpint(inode_ref_next(&c, &got), ==, 0);
	g_assert_cmpuint(got.index, ==, UINT64_MAX);
	g_assert_true(span_equal(got.name, span_str(most)));
	g_assert_cmpuint(c.left, ==, 0);
	g_assert_cmpint(inode_ref_next(&c, &got), ==, -EUCLEAN);
	g_assert_cmpuint(got.index, ==, UINT64_MAX);
	assert_survives(item, parse_refs);
	g_byte_array_set_size(item, 0);
	put_inode_ref(item, 1, "");
	assert_bad(item, parse_refs);
	g_byte_array_set_size(item, 0);
	put_inode_ref(item, 1, more);
	assert_bad(item, parse_refs);
}

static void test_inode_extref(void)
{
	g_autoptr(GByteArray) item = g_byte_array_new();
	g_autofree char *more = long_name(256);
	struct inode_extref got;
	struct cursor c;

	put_inode_extref(item, 256, 2, "first");
	put_inode_extref(item, 257, 3, "x");
	c = cursor_of(span_of_bytes(item));
	g_assert_cmpint(inode_extref_next(&c, &got), ==, 0);
	g_assert_cmpuint(got.parent, ==, 256);
	g_assert_cmpuint(got.index, ==, 2);
	g_assert_true(span_equal(got.name, span_str("first")));
	g_assert_cmpint(inode_extref_next(&c, &got), ==, 0);
	g_assert_cmpuint(got.parent, ==, 257);
	g_assert_cmpuint(got.index, ==, 3);
	g_assert_true(span_equal(got.name, span_str("x")));
	g_assert_cmpuint(c.left, ==, 0);
	assert_survives(item, parse_extrefs);
	g_byte_array_set_size(item, 0);
	put_inode_extref(item, 1, 1, "");
	assert_bad(item, parse_extrefs);
	g_byte_array_set_size(item, 0);
	put_inode_extref(item, 1, 1, more);
	assert_bad(item, parse_extrefs);
}

static void test_dir_entry(void)
{
	g_autoptr(GByteArray) item = g_byte_array_new();
	struct dir_entry got;
	struct cursor c;

	put_dir_item(item, 261, BTRFS_FT_DIR, "sub");
	put_xattr(item, "user.x", span_str("value"));
	put_xattr(item, "user.empty", span_str(""));
	c = cursor_of(span_of_bytes(item));
	g_assert_cmpint(dir_entry_next(&c, &got), ==, 0);
	g_assert_cmpint(key_compare(&got.location, &KEY(261, BTRFS_INODE_ITEM_KEY, 0)), ==, 0);
	g_assert_cmpuint(got.transid, ==, 1);
	g_assert_cmpuint(got.type, ==, BTRFS_FT_DIR);
	g_assert_true(span_equal(got.name, span_str("sub")));
	g_assert_cmpuint(got.data.len, ==, 0);
	g_assert_cmpint(dir_entry_next(&c, &got), ==, 0);
	g_assert_cmpuint(got.type, ==, BTRFS_FT_XATTR);
	g_assert_true(span_equal(got.name, span_str("user.x")));
	g_assert_true(span_equal(got.data, span_str("value")));
	g_assert_cmpint(dir_entry_next(&c, &got), ==, 0);
	g_assert_cmpuint(got.data.len, ==, 0);
	g_assert_cmpuint(c.left, ==, 0);
	assert_survives(item, parse_dir_entries);
}

static void test_dir_entry_bad(void)
{
	g_autofree char *more = long_name(256);
	const struct dir_entry bad[] = {
		{ .name = span_str(""), .type = BTRFS_FT_DIR },
		{ .name = span_str(more), .type = BTRFS_FT_DIR },
		{ .name = span_str("x"), .type = BTRFS_FT_MAX },
		{ .name = span_str("x"), .type = 255 },
		{ .name = span_str("x"), .type = BTRFS_FT_DIR, .data = span_str("data") },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
		g_autoptr(GByteArray) item = g_byte_array_new();

		put_dir_entry(item, &bad[i]);
		assert_bad(item, parse_dir_entries);
	}
}

/* Offsets of keys as mkfs.btrfs and the kernel write them. */
static void test_name_hash(void)
{
	g_assert_cmphex(name_hash(span_str("default")), ==, 0x8dbfc2d2);
	g_assert_cmphex(name_hash(span_str("")), ==, 0xfffffffe);
}

static void assert_extents_equal(const struct file_extent *a, const struct file_extent *b)
{
	g_assert_cmpuint(a->generation, ==, b->generation);
	g_assert_cmpuint(a->ram_bytes, ==, b->ram_bytes);
	g_assert_cmpuint(a->compression, ==, b->compression);
	g_assert_cmpuint(a->type, ==, b->type);
	g_assert_true(span_equal(a->inline_data, b->inline_data));
	g_assert_cmpuint(a->disk_bytenr, ==, b->disk_bytenr);
	g_assert_cmpuint(a->disk_num_bytes, ==, b->disk_num_bytes);
	g_assert_cmpuint(a->offset, ==, b->offset);
	g_assert_cmpuint(a->num_bytes, ==, b->num_bytes);
}

static void assert_extent_good(const struct file_extent *extent)
{
	g_autoptr(GByteArray) item = g_byte_array_new();
	struct file_extent got;

	put_file_extent(item, extent);
	g_assert_cmpint(file_extent_parse(span_of_bytes(item), &got), ==, 0);
	assert_extents_equal(&got, extent);
	assert_survives(item, parse_extent);
}

static void test_extent_good(void)
{
	struct file_extent extent = example_extent(1 << 20, 8192);
	struct file_extent in_item = example_inline(span_str("contents"));

	assert_extent_good(&extent);
	extent.type = BTRFS_FILE_EXTENT_PREALLOC;
	assert_extent_good(&extent);
	extent = example_extent(0, 4096);
	extent.disk_num_bytes = 0;
	assert_extent_good(&extent);
	for (uint8_t type = 0; type <= BTRFS_COMPRESS_ZSTD; type++) {
		extent = example_extent(1 << 20, 131072);
		extent.compression = type;
		extent.disk_num_bytes = 4096;
		extent.offset = 4096;
		extent.num_bytes = 8192;
		assert_extent_good(&extent);
	}
	assert_extent_good(&in_item);
	in_item.inline_data = span_str("");
	in_item.ram_bytes = 0;
	assert_extent_good(&in_item);
	in_item = example_inline(span_str("packed"));
	in_item.compression = BTRFS_COMPRESS_ZLIB;
	in_item.ram_bytes = 4096;
	assert_extent_good(&in_item);
}

static void assert_extent_bad(const struct file_extent *extent)
{
	g_autoptr(GByteArray) item = g_byte_array_new();

	put_file_extent(item, extent);
	assert_bad(item, parse_extent);
}

static void test_extent_bad(void)
{
	struct file_extent bad = example_extent(1 << 20, 8192);

	bad.compression = 4;
	assert_extent_bad(&bad);
	bad = example_extent(1 << 20, 8192);
	bad.type = 3;
	assert_extent_bad(&bad);
	bad = example_extent(UINT64_MAX - 4095, 8192);
	assert_extent_bad(&bad);
	bad = example_extent(1 << 20, 8192);
	bad.offset = UINT64_MAX - 8191;
	assert_extent_bad(&bad);
	bad = example_inline(span_str("contents"));
	bad.ram_bytes++;
	assert_extent_bad(&bad);
	bad.compression = BTRFS_COMPRESS_ZLIB;
	bad.ram_bytes = 65537;
	assert_extent_bad(&bad);
	bad.ram_bytes = UINT64_MAX;
	assert_extent_bad(&bad);
}

static void test_extent_raw(void)
{
	const struct file_extent extent = example_extent(1 << 20, 8192);
	g_autoptr(GByteArray) item = g_byte_array_new();

	put_file_extent(item, &extent);
	put_u8(item, 0);
	assert_bad(item, parse_extent);
	g_byte_array_set_size(item, item->len - 1);
	for (size_t at = 17; at < 20; at++) { /* encryption, other encoding */
		item->data[at] = 1;
		assert_bad(item, parse_extent);
		item->data[at] = 0;
	}
	g_assert_cmpint(parse_extent(span_of_bytes(item)), ==, 0);
}

static struct root_item full_root(void)
{
	struct root_item root = example_root(4 << 20, 77, 3);

	root.flags = BTRFS_ROOT_SUBVOL_RDONLY;
	fill_noise(root.parent_uuid, 16, 11);
	fill_noise(root.received_uuid, 16, 12);
	root.ctransid = 1;
	root.otransid = 2;
	root.stransid = 3;
	root.rtransid = 4;
	root.ctime = (struct disk_time){ 5, 6 };
	root.otime = (struct disk_time){ 7, 8 };
	root.stime = (struct disk_time){ 9, 10 };
	root.rtime = (struct disk_time){ 11, 12 };
	return root;
}

static void assert_root_old_part(const struct root_item *a, const struct root_item *b)
{
	g_assert_cmpuint(a->generation, ==, b->generation);
	g_assert_cmpuint(a->bytenr, ==, b->bytenr);
	g_assert_cmphex(a->flags, ==, b->flags);
	g_assert_cmpuint(a->dirid, ==, b->dirid);
	g_assert_cmpuint(a->refs, ==, b->refs);
	g_assert_cmpuint(a->level, ==, b->level);
}

static void assert_root_new_part(const struct root_item *a, const struct root_item *b)
{
	g_assert_cmpint(memcmp(a->uuid, b->uuid, 16), ==, 0);
	g_assert_cmpint(memcmp(a->parent_uuid, b->parent_uuid, 16), ==, 0);
	g_assert_cmpint(memcmp(a->received_uuid, b->received_uuid, 16), ==, 0);
	g_assert_cmpuint(a->ctransid, ==, b->ctransid);
	g_assert_cmpuint(a->otransid, ==, b->otransid);
	g_assert_cmpuint(a->stransid, ==, b->stransid);
	g_assert_cmpuint(a->rtransid, ==, b->rtransid);
	assert_times(&a->ctime, &b->ctime);
	assert_times(&a->otime, &b->otime);
	assert_times(&a->stime, &b->stime);
	assert_times(&a->rtime, &b->rtime);
}

static void test_root_item(void)
{
	const struct root_item root = full_root(), zero = { 0 };
	const size_t old_len = offsetof(struct btrfs_root_item, generation_v2);
	g_autoptr(GByteArray) item = g_byte_array_new();
	struct root_item got;

	put_root_item(item, &root);
	g_assert_cmpuint(item->len, ==, sizeof(struct btrfs_root_item));
	g_assert_cmpint(root_item_parse(span_of_bytes(item), &got), ==, 0);
	assert_root_old_part(&got, &root);
	assert_root_new_part(&got, &root);
	assert_survives(item, parse_root);

	g_assert_cmpint(root_item_parse(span_of(item->data, old_len), &got), ==, 0);
	assert_root_old_part(&got, &root);
	assert_root_new_part(&got, &zero);

	/* Written last by a kernel that does not know the new part. */
	store_le64(item->data + old_len, root.generation - 1);
	g_assert_cmpint(root_item_parse(span_of_bytes(item), &got), ==, 0);
	assert_root_old_part(&got, &root);
	assert_root_new_part(&got, &zero);
}

static void test_root_item_bad(void)
{
	struct root_item root = full_root();
	g_autoptr(GByteArray) item = g_byte_array_new();

	root.level = 8;
	put_root_item(item, &root);
	assert_bad(item, parse_root);
	root.level = 0;
	g_byte_array_set_size(item, 0);
	put_root_item(item, &root);
	put_u8(item, 0);
	assert_bad(item, parse_root);
}

static void test_root_ref(void)
{
	g_autoptr(GByteArray) item = g_byte_array_new();
	struct root_ref got;

	put_root_ref(item, 256, 9, "snapshot");
	g_assert_cmpint(root_ref_parse(span_of_bytes(item), &got), ==, 0);
	g_assert_cmpuint(got.dirid, ==, 256);
	g_assert_cmpuint(got.sequence, ==, 9);
	g_assert_true(span_equal(got.name, span_str("snapshot")));
	assert_survives(item, parse_root_ref);
	put_u8(item, 0);
	assert_bad(item, parse_root_ref);
	g_byte_array_set_size(item, 0);
	put_root_ref(item, 256, 9, "");
	assert_bad(item, parse_root_ref);
}

static void test_key_order(void)
{
	static const struct key keys[] = {
		{ 1, 1, 1 }, { 1, 2, 1 }, { 1, 0, 2 }, { 1, UINT64_MAX, 2 },
		{ 2, 0, 0 }, { UINT64_MAX, 0, 0 }, { UINT64_MAX, UINT64_MAX, UINT8_MAX },
	};
	const struct key most = KEY_MAX;

	for (size_t i = 0; i < G_N_ELEMENTS(keys); i++)
		for (size_t j = 0; j < G_N_ELEMENTS(keys); j++)
			g_assert_cmpint(key_compare(&keys[i], &keys[j]), ==,
					i < j ? -1 : i > j ? 1 : 0);
	g_assert_cmpint(key_compare(&keys[G_N_ELEMENTS(keys) - 1], &most), ==, 0);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/items/inode-item", test_inode_item);
	g_test_add_func("/items/inode-mode", test_inode_mode);
	g_test_add_func("/items/inode-ref", test_inode_ref);
	g_test_add_func("/items/inode-extref", test_inode_extref);
	g_test_add_func("/items/dir-entry", test_dir_entry);
	g_test_add_func("/items/dir-entry-bad", test_dir_entry_bad);
	g_test_add_func("/items/name-hash", test_name_hash);
	g_test_add_func("/items/extent-good", test_extent_good);
	g_test_add_func("/items/extent-bad", test_extent_bad);
	g_test_add_func("/items/extent-raw", test_extent_raw);
	g_test_add_func("/items/root-item", test_root_item);
	g_test_add_func("/items/root-item-bad", test_root_item_bad);
	g_test_add_func("/items/root-ref", test_root_ref);
	g_test_add_func("/items/key-order", test_key_order);
	return g_test_run();
}
