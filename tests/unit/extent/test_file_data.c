#include "btrfs/extent/file_data.h"
#include "support/compress.h"
#include "unit/extent/fake_fs.h"
#include "btrfs/codec/decompress.h"
#include <errno.h>

#define INO 257u
#define EXTENT_LEN ((size_t)128 * 1024)
#define LARGE_LEN ((size_t)2 * 1024 * 1024 + 3 * FAKE_SECTOR)
#define SUBVOLUME(fs) ((fs)->now.subvolume)

static void assert_bytes(const uint8_t *got, const uint8_t *expected, size_t len)
{
	g_assert_true(memcmp(got, expected, len) == 0);
}

static uint8_t *noise(size_t len, uint64_t seed)
{
	uint8_t *bytes = g_malloc(len);

	fill_noise(bytes, len, seed);
	return bytes;
}

static TreeCursor *cursor_in(Fs *fs)
{
	return tree_cursor_new(&SUBVOLUME(fs), TREE_READAHEAD_NONE);
}

static int read_slice(FileData *data, TreeCursor *cursor, const struct data_place *place,
		      uint64_t offset, size_t len, uint8_t *buffer)
{
	const struct file_range range = { .ino = INO, .offset = offset, .len = len };

	return file_data_read(data, cursor, place, &range, buffer);
}

/* Any slice equals that slice of the whole. */
static void check_slices(Fs *fs, FileData *data, const struct data_place *place,
			 const uint8_t *whole, size_t whole_len, unsigned n)
{
	g_autoptr(TreeCursor) cursor = cursor_in(fs);
	g_autofree uint8_t *buffer = g_malloc(whole_len);
	g_autoptr(GRand) rand = g_rand_new_with_seed(n);

	for (unsigned i = 0; i < n; i++) {
		const size_t from = i ? (size_t)g_rand_int(rand) % whole_len : 0;
		const size_t len = i ? (size_t)g_rand_int(rand) % (whole_len - from + 1) : whole_len;

		g_assert_cmpint(read_slice(data, cursor, place, place->item_offset + from, len,
					   buffer), ==, 0);
		assert_bytes(buffer, whole + from, len);
	}
}

static void test_plain(void)
{
	g_autoptr(Fs) fs = fake_fs_new();
	g_autofree uint8_t *bytes = noise(LARGE_LEN, 1);
	const uint64_t at = fake_put_data(fs, span_of(bytes, LARGE_LEN), false);
	struct file_extent extent = example_extent(at, LARGE_LEN);
	struct data_place whole, part;
	g_autoptr(FileData) data = NULL;

	/* Checksum items that meet in the middle of what is read. */
	for (size_t from = 0; from < LARGE_LEN; from += 100 * FAKE_SECTOR)
		fake_put_sums(fs, at + from, MIN(LARGE_LEN - from, 100 * FAKE_SECTOR));
	whole = fake_put_extent(fs, INO, 8192, &extent);
	extent.offset = 40960;
	extent.num_bytes = 65536;
	part = fake_put_extent(fs, INO, 8192 + LARGE_LEN, &extent);
	fake_fs_open(fs, 0);
	data = file_data_new(fs, 1 << 20);
	check_slices(fs, data, &whole, bytes, LARGE_LEN, 60);
	check_slices(fs, data, &part, bytes + 40960, 65536, 60);
	g_assert_cmpuint(atomic_load(&fs->n_refreshes), ==, 0);
}

static void test_compressed(void)
{
	const uint8_t types[] = { 1, 2, 3 };

	for (size_t i = 0; i < G_N_ELEMENTS(types); i++) {
		g_autoptr(Fs) fs = fake_fs_new();
		g_autofree uint8_t *bytes = g_malloc(EXTENT_LEN);
		g_autoptr(GByteArray) stored = NULL;
		g_autoptr(FileData) data = NULL;
		struct file_extent extent;
		struct data_place place;
		unsigned n_reads;

		fill_text(bytes, EXTENT_LEN, i);
		stored = compress_extent(types[i], span_of(bytes, EXTENT_LEN));
		extent = example_extent(fake_put_data(fs, span_of_bytes(stored), true), EXTENT_LEN);
		extent.compression = types[i];
		extent.disk_num_bytes = (stored->len + 4095) / 4096 * 4096;
		extent.offset = 8192;
		extent.num_bytes = EXTENT_LEN - 8192;
		place = fake_put_extent(fs, INO, 0, &extent);
		fake_fs_open(fs, 0);
		data = file_data_new(fs, 1 << 20);
		check_slices(fs, data, &place, bytes + 8192, EXTENT_LEN - 8192, 1);
		n_reads = atomic_load(&fs->n_reads);
		check_slices(fs, data, &place, bytes + 8192, EXTENT_LEN - 8192, 50);
		g_assert_cmpuint(atomic_load(&fs->n_reads), ==, n_reads);
	}
}

static void test_inline(void)
{
	g_autoptr(Fs) fs = fake_fs_new();
	uint8_t bytes[2000], buffer[3000], zeros[1000] = { 0 };
	g_autoptr(GByteArray) stored = NULL;
	g_autoptr(FileData) data = NULL;
	g_autoptr(TreeCursor) cursor = NULL;
	struct file_extent extent;
	struct data_place plain, packed, other;

	fill_text(bytes, sizeof(bytes), 5);
	extent = example_inline(span_of(bytes, sizeof(bytes)));
	plain = fake_put_extent(fs, INO, 0, &extent);
	stored = compress_extent(BTRFS_COMPRESS_ZSTD, span_of(bytes, sizeof(bytes)));
	extent.inline_data = span_of_bytes(stored);
	extent.compression = BTRFS_COMPRESS_ZSTD;
	packed = fake_put_extent(fs, INO + 1, 0, &extent);
	fake_fs_open(fs, 0);
	data = file_data_new(fs, 1 << 20);
	check_slices(fs, data, &plain, bytes, sizeof(bytes), 50);
	cursor = cursor_in(fs);
	for (unsigned i = 0; i < 2; i++) {
		const struct file_range range = { .ino = INO + i, .offset = 100, .len = 2900 };

		g_assert_cmpint(file_data_read(data, cursor, i ? &packed : &plain, &range, buffer),
				==, 0);
		assert_bytes(buffer, bytes + 100, 1900);
		assert_bytes(buffer + 1900, zeros, 1000);
	}
	other = plain;
	other.item_offset = 4096;
	g_assert_cmpint(read_slice(data, cursor, &other, 4096, 1, buffer), ==, -ENOENT);
	other = plain;
	other.compression = BTRFS_COMPRESS_LZO;
	g_assert_cmpint(read_slice(data, cursor, &other, 0, 1, buffer), ==, -ESTALE);
	other.kind = DATA_ZERO;
	g_assert_cmpint(read_slice(data, cursor, &other, 0, 1000, buffer), ==, 0);
	assert_bytes(buffer, zeros, 1000);
}

/* The bytes as they are stored, checked and not decompressed. */
static void test_stored(void)
{
	g_autoptr(Fs) fs = fake_fs_new();
	g_autofree uint8_t *bytes = g_malloc(EXTENT_LEN), *buffer = g_malloc(EXTENT_LEN);
	g_autoptr(GByteArray) stored = NULL;
	g_autoptr(FileData) data = NULL;
	g_autoptr(TreeCursor) cursor = NULL;
	struct data_place place, in_item, other;
	struct file_extent extent;

	fill_text(bytes, EXTENT_LEN, 9);
	stored = compress_extent(BTRFS_COMPRESS_ZSTD, span_of(bytes, EXTENT_LEN));
	extent = example_extent(fake_put_data(fs, span_of_bytes(stored), true), EXTENT_LEN);
	extent.compression = BTRFS_COMPRESS_ZSTD;
	extent.disk_num_bytes = (stored->len + 4095) / 4096 * 4096;
	place = fake_put_extent(fs, INO, 0, &extent);
	extent = example_inline(span_of(stored->data, 100));
	extent.compression = BTRFS_COMPRESS_ZSTD;
	in_item = fake_put_extent(fs, INO + 1, 0, &extent);
	fake_fs_open(fs, 0);
	data = file_data_new(fs, 1 << 20);
	cursor = cursor_in(fs);
	g_assert_cmpint(file_data_read_stored(data, cursor, &place, INO, buffer), ==, 0);
	assert_bytes(buffer, stored->data, stored->len);
	g_assert_cmpint(file_data_read_stored(data, cursor, &in_item, INO + 1, buffer), ==, 0);
	assert_bytes(buffer, stored->data, 100);
	other = in_item;
	other.stored_len--;
	g_assert_cmpint(file_data_read_stored(data, cursor, &other, INO + 1, buffer), ==, -ESTALE);
	g_assert_cmpint(file_data_read_stored(data, cursor, &in_item, INO, buffer), ==, -ESTALE);
	g_assert_cmpint(file_data_read_stored(data, cursor, &in_item, INO + 9, buffer), ==,
			-ENOENT);
	other = place;
	other.stored_len = UINT64_MAX;
	g_assert_cmpint(file_data_read_stored(data, cursor, &other, INO, buffer), ==, -EUCLEAN);
	other = place;
	other.disk_bytenr++;
	g_assert_cmpint(file_data_read_stored(data, cursor, &other, INO, buffer), ==, -EUCLEAN);
	fs->image->data[place.disk_bytenr + 10] ^= 1;
	fs->mirror[place.disk_bytenr + 10] ^= 1;
	g_assert_cmpint(file_data_read_stored(data, cursor, &place, INO, buffer), ==, -EBADMSG);
}

/* A file of one large extent. */
struct one {
	Fs *fs;
	uint8_t *bytes;
	uint64_t at;
	struct data_place place;
	FileData *data;
	TreeCursor *cursor;
};

static void one_begin(struct one *one, bool summed)
{
	struct file_extent extent;

	one->fs = fake_fs_new();
	one->bytes = noise(EXTENT_LEN, 3);
	one->at = fake_put_data(one->fs, span_of(one->bytes, EXTENT_LEN), summed);
	extent = example_extent(one->at, EXTENT_LEN);
	one->place = fake_put_extent(one->fs, INO, 0, &extent);
	fake_fs_open(one->fs, 0);
	one->data = file_data_new(one->fs, 1 << 20);
	one->cursor = cursor_in(one->fs);
}

static void one_end(struct one *one)
{
	tree_cursor_free(one->cursor);
	file_data_free(one->data);
	fs_free(one->fs);
	g_free(one->bytes);
}

static int one_read(struct one *one)
{
	g_autofree uint8_t *buffer = g_malloc0(EXTENT_LEN);
	int r = read_slice(one->data, one->cursor, &one->place, 0, EXTENT_LEN, buffer);

	if (r == 0)
		assert_bytes(buffer, one->bytes, EXTENT_LEN);
	return r;
}

static void test_bad_copies(void)
{
	struct one one;

	one_begin(&one, true);
	one.fs->image->data[one.at + 10 * FAKE_SECTOR + 17] ^= 1;
	one.fs->mirror[one.at + 11 * FAKE_SECTOR] ^= 0x80;
	g_assert_cmpint(one_read(&one), ==, 0);
	one.fs->mirror[one.at + 10 * FAKE_SECTOR] ^= 1;
	g_assert_cmpint(one_read(&one), ==, -EBADMSG);
	one.fs->image->data[one.at + 10 * FAKE_SECTOR + 17] ^= 1;
	atomic_store(&one.fs->broken_from, one.at + 5 * FAKE_SECTOR);
	atomic_store(&one.fs->broken_to, one.at + 6 * FAKE_SECTOR);
	g_assert_cmpint(one_read(&one), ==, 0);
	one.fs->mirror[one.at + 5 * FAKE_SECTOR] ^= 1;
	g_assert_cmpint(one_read(&one), ==, -EBADMSG);
	one_end(&one);
}

static struct fake_state after_refresh;

/* A balance: the extent goes elsewhere, and something else, with checksums of
 * its own, comes to lie in its place. */
static void move_extent(struct one *one)
{
	Fs *fs = one->fs;
	const uint64_t to = fake_put_data(fs, span_of(one->bytes, EXTENT_LEN), true);
	struct file_extent extent = example_extent(to, EXTENT_LEN);

	fake_put_extent(fs, INO, 0, &extent);
	fill_noise(fs->image->data + one->at, EXTENT_LEN, 99);
	fake_put_sums(fs, one->at, EXTENT_LEN);
	after_refresh = fake_state(fs, 11);
	fake_fs_sync(fs);
}

static void test_moved(void)
{
	struct one one;

	one_begin(&one, true);
	move_extent(&one);
	/* Found out by the checksum, before anybody else refreshes ... */
	fake_set_next(one.fs, &after_refresh);
	g_assert_cmpint(one_read(&one), ==, -ESTALE);
	/* ... and after, when the checksums are right for the wrong bytes. */
	g_assert_cmpint(one_read(&one), ==, -ESTALE);
	one_end(&one);
}

static void come_true(Fs *fs)
{
	fake_set_next(fs, &after_refresh);
	fs->on_refresh = NULL;
}

/* The checksum tree of the superblock in use is gone already. */
static void test_rewritten_sums(void)
{
	struct one one;

	one_begin(&one, true);
	after_refresh = one.fs->now;
	after_refresh.generation = 11;
	item_set_put_span(one.fs->sums, KEY(BTRFS_EXTENT_CSUM_OBJECTID, BTRFS_EXTENT_CSUM_KEY, 4096),
			  span_of("1234", 4));
	after_refresh.csum_tree = fake_state(one.fs, 11).csum_tree;
	memset(one.fs->image->data + one.fs->now.csum_tree.logical, 0xa5, 4096);
	fake_fs_sync(one.fs);
	one.fs->on_refresh = come_true;
	g_assert_cmpint(one_read(&one), ==, 0);
	g_assert_cmpuint(atomic_load(&one.fs->n_refreshes), ==, 1);
	one_end(&one);
}

static void test_unsummed(void)
{
	struct one one;

	one_begin(&one, false);
	g_assert_cmpint(one_read(&one), ==, 0);
	g_assert_cmpuint(atomic_load(&one.fs->n_refreshes), ==, 1);
	/* Another commit that leaves the subvolume alone. */
	after_refresh = one.fs->now;
	after_refresh.generation = 11;
	one.fs->on_refresh = come_true;
	g_assert_cmpint(one_read(&one), ==, 0);
	/* One that moves it, while the data is read. */
	after_refresh.generation = 12;
	after_refresh.subvolume.logical += 4096;
	one.fs->on_refresh = come_true;
	g_assert_cmpint(one_read(&one), ==, -ESTALE);
	after_refresh.generation = 13;
	after_refresh.subvolume.id = 0;
	one.fs->on_refresh = come_true;
	g_assert_cmpint(one_read(&one), ==, -ESTALE);
	one_end(&one);
}

static void check_place(struct one *one, struct data_place place, uint64_t offset, int expected)
{
	uint8_t buffer[100];

	g_assert_cmpint(read_slice(one->data, one->cursor, &place, offset, sizeof(buffer), buffer),
			==, expected);
}

static void test_bad_places(void)
{
	struct data_place place;
	struct one one;

	one_begin(&one, true);
	place = one.place;
	check_place(&one, place, EXTENT_LEN - 100, 0);
	check_place(&one, place, EXTENT_LEN - 99, -EUCLEAN);
	check_place(&one, place, UINT64_MAX - 10, -EUCLEAN);
	place.item_offset = 4096;
	check_place(&one, place, 4095, -EUCLEAN);
	place = one.place;
	place.offset = UINT64_MAX;
	check_place(&one, place, 1, -EUCLEAN);
	place = one.place;
	place.disk_bytenr++;
	check_place(&one, place, 0, -EUCLEAN);
	place.disk_bytenr = FAKE_IMAGE_LEN;
	check_place(&one, place, 0, -ENOENT);
	place.disk_bytenr = UINT64_MAX - 4095;
	check_place(&one, place, 0, -EUCLEAN);
	place = one.place;
	place.compression = BTRFS_COMPRESS_ZSTD;
	check_place(&one, place, 0, -EUCLEAN);
	place.stored_len = UINT64_MAX;
	check_place(&one, place, 0, -EUCLEAN);
	place.stored_len = EXTENT_LEN;
	place.ram_bytes = UINT64_MAX;
	check_place(&one, place, 0, -EUCLEAN);
	one_end(&one);
}

static void test_bad_sums(void)
{
	const struct {
		uint64_t before; /* where the item begins, before the extent */
		size_t len;
	} bad[] = { { 0, 3 }, { 1, 4 }, { 4095, 8 }, { 8192, 13 } };

	for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
		struct one one;
		uint8_t sums[16] = { 0 };

		one_begin(&one, false);
		item_set_put_span(one.fs->sums,
				  KEY(BTRFS_EXTENT_CSUM_OBJECTID, BTRFS_EXTENT_CSUM_KEY,
				      one.at - bad[i].before),
				  span_of(sums, bad[i].len));
		one.fs->now.csum_tree = fake_state(one.fs, 10).csum_tree;
		fake_fs_sync(one.fs);
		g_assert_cmpint(one_read(&one), ==, -EUCLEAN);
		one_end(&one);
	}
}

static void *reader_main(void *user)
{
	struct one *one = user;

	check_slices(one->fs, one->data, &one->place, one->bytes, EXTENT_LEN, 40);
	return NULL;
}

static void test_threads(void)
{
	pthread_t threads[4];
	struct one one;

	one_begin(&one, true);
	for (unsigned i = 0; i < G_N_ELEMENTS(threads); i++)
		pthread_create(&threads[i], NULL, reader_main, &one);
	for (unsigned i = 0; i < G_N_ELEMENTS(threads); i++)
		pthread_join(threads[i], NULL);
	one_end(&one);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/file_data/plain", test_plain);
	g_test_add_func("/file_data/compressed", test_compressed);
	g_test_add_func("/file_data/stored", test_stored);
	g_test_add_func("/file_data/inline", test_inline);
	g_test_add_func("/file_data/bad_copies", test_bad_copies);
	g_test_add_func("/file_data/moved", test_moved);
	g_test_add_func("/file_data/rewritten_sums", test_rewritten_sums);
	g_test_add_func("/file_data/unsummed", test_unsummed);
	g_test_add_func("/file_data/bad_places", test_bad_places);
	g_test_add_func("/file_data/bad_sums", test_bad_sums);
	g_test_add_func("/file_data/threads", test_threads);
	return g_test_run();
}
