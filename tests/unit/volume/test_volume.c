#include "btrfs/volume/volume.h"
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>

#define SECTOR 4096u
#define STRIPE 65536u
#define CHUNK_LEN ((uint64_t)256 * 1024)

static void assert_bytes(const uint8_t *got, const uint8_t *expected, size_t len)
{
	g_assert_cmpint(memcmp(got, expected, len), ==, 0);
}

static void fill(uint8_t *bytes, size_t len, unsigned seed)
{
	for (size_t i = 0; i < len; i++)
		bytes[i] = (uint8_t)(i * 31 + i / 251 + seed);
}

static void chunk_add(ChunkMap *map, uint64_t logical, uint64_t profile, unsigned n,
		      const uint64_t (*stripes)[2])
{
	uint8_t item[48 + 4 * 32] = { 0 };

	store_le64(item, CHUNK_LEN);
	store_le64(item + 16, 64 * 1024);
	store_le64(item + 24, BTRFS_BLOCK_GROUP_METADATA | profile);
	store_le32(item + 40, SECTOR);
	store_le16(item + 44, (uint16_t)n);
	for (unsigned i = 0; i < n; i++) {
		store_le64(item + 48 + i * 32, stripes[i][0]);
		store_le64(item + 56 + i * 32, stripes[i][1]);
	}
	g_assert_cmpint(chunk_map_add(map, logical, span_of(item, 48 + n * 32), SECTOR), ==, 0);
}

/* Fails on the n-th read. */
struct failing {
	const uint8_t *data;
	int reads_left;
};

static int failing_read(void *user, uint64_t offset, void *buffer, size_t len)
{
	struct failing *failing = user;

	if (failing->reads_left-- == 0)
		return -ENXIO;
	memcpy(buffer, failing->data + offset, len);
	return 0;
}

static const struct byte_source_ops failing_ops = { .read = failing_read };

static void test_striped(void)
{
	const size_t len = 512 * 1024;
	g_autofree uint8_t *a = g_malloc(len), *b = g_malloc(len), *got = g_malloc(CHUNK_LEN);
	g_autoptr(Volume) volume = volume_new();
	ChunkMap *map = chunk_map_new();
	const uint64_t at[][2] = { { 1, 64 * 1024 }, { 2, 128 * 1024 } };
	g_autofree char *place = NULL, *no_place = NULL;
	uint64_t devid, type;

	fill(a, len, 1);
	fill(b, len, 2);
	volume_add_device(volume, 1, "first", byte_source_new_memory(a, len));
	g_assert_cmpint(volume_add_device(volume, 1, "again", byte_source_new_memory(a, len)), ==,
			-EEXIST);
	g_assert_cmpuint(volume_copies(volume, 0), ==, 0);
	chunk_add(map, 0, BTRFS_BLOCK_GROUP_RAID0, 2, at);
	chunk_map_seal(map);
	volume_set_map(volume, map);
	g_assert_true(volume_lacks_device(volume, &devid, &type));
	g_assert_cmpuint(devid, ==, 2);
	g_assert_cmpuint(type, ==, BTRFS_BLOCK_GROUP_METADATA | BTRFS_BLOCK_GROUP_RAID0);
	g_assert_true(volume_misses_device(volume, &devid));
	g_assert_cmpuint(volume_device_end(volume, 2), ==, 128 * 1024 + CHUNK_LEN / 2);
	g_assert_cmpint(volume_read(volume, 0, 0, got, CHUNK_LEN), ==, -ENODEV);
	g_assert_cmpint(volume_read(volume, 0, 0, got, 64 * 1024), ==, 0);
	volume_add_device(volume, 2, "second", byte_source_new_memory(b, len));
	g_assert_false(volume_lacks_device(volume, &devid, &type));
	g_assert_false(volume_misses_device(volume, &devid));
	g_assert_cmpint(volume_read(volume, 0, 0, got, CHUNK_LEN), ==, 0);
	assert_bytes(got, a + 65536, STRIPE);
	assert_bytes(got + 65536, b + 131072, STRIPE);
	assert_bytes(got + 131072, a + 131072, STRIPE);
	assert_bytes(got + 196608, b + 196608, STRIPE);
	g_assert_cmpint(volume_read(volume, 65535, 0, got, 2), ==, 0);
	g_assert_cmpuint(got[0], ==, a[131071]);
	g_assert_cmpuint(got[1], ==, b[131072]);
	g_assert_cmpint(volume_read(volume, CHUNK_LEN - 1, 0, got, 2), ==, -ENOENT);
	g_assert_cmpint(volume_read(volume, CHUNK_LEN, 0, got, 1), ==, -ENOENT);
	g_assert_cmpint(volume_read(volume, 0, 1, got, 1), ==, -ERANGE);
	place = volume_describe(volume, 65536, 0);
	g_assert_cmpstr(place, ==, "second (devid 2) at 131072");
	no_place = volume_describe(volume, CHUNK_LEN, 0);
	g_assert_cmpstr(no_place, ==, "no device");
}

static void test_failing(void)
{
	g_autofree uint8_t *data = g_malloc0(1024 * 1024);
	struct failing failing = { .data = data, .reads_left = 2 };
	g_autoptr(Volume) volume = volume_new();
	ChunkMap *map = chunk_map_new();
	const uint64_t at[][2] = { { 1, 0 }, { 1, 1024 * 1024 - CHUNK_LEN / 2 } };
	uint8_t got[16];

	chunk_add(map, 0, BTRFS_BLOCK_GROUP_DUP, 2, at);
	chunk_map_seal(map);
	volume_set_map(volume, map);
	volume_add_device(volume, 1, "bad", byte_source_new(&failing_ops, &failing, 1024 * 1024));
	g_assert_cmpint(volume_read(volume, 0, 0, got, sizeof(got)), ==, 0);
	g_assert_cmpint(volume_read(volume, 0, 1, got, sizeof(got)), ==, 0);
	g_assert_cmpint(volume_read(volume, 0, 0, got, sizeof(got)), ==, -EIO);
	g_assert_cmpint(volume_read(volume, 0, 0, got, sizeof(got)), ==, 0);
	/* The second copy's end lies behind the device's. */
	g_assert_cmpint(volume_read(volume, CHUNK_LEN - 16, 1, got, sizeof(got)), ==, -EIO);
}

/* Copies on devices that are missing, or have missed commits. */
static void test_degraded(void)
{
	const uint64_t at[][2] = { { 1, 0 }, { 2, 0 }, { 3, 0 } };
	g_autofree uint8_t *a = g_malloc(CHUNK_LEN), *b = g_malloc(CHUNK_LEN);
	g_autoptr(Volume) volume = volume_new();
	g_autofree char *missing = NULL;
	ChunkMap *map = chunk_map_new();
	uint8_t got[512];

	fill(a, CHUNK_LEN, 1);
	fill(b, CHUNK_LEN, 2);
	chunk_add(map, 0, BTRFS_BLOCK_GROUP_RAID1C3, 3, at);
	chunk_map_seal(map);
	volume_set_map(volume, map);
	g_assert_cmpuint(volume_copies(volume, 0), ==, 1);
	g_assert_cmpint(volume_read(volume, 0, 0, got, sizeof(got)), ==, -ENODEV);
	missing = volume_describe(volume, 0, 0);
	g_assert_cmpstr(missing, ==, "devid 1");

	volume_add_device(volume, 2, "b", byte_source_new_memory(b, CHUNK_LEN));
	g_assert_cmpuint(volume_copies(volume, 0), ==, 1);
	g_assert_cmpint(volume_read(volume, 0, 0, got, sizeof(got)), ==, 0);
	assert_bytes(got, b, sizeof(got));
	g_assert_cmpint(volume_read(volume, 0, 1, got, sizeof(got)), ==, -ERANGE);

	volume_add_device(volume, 1, "a", byte_source_new_memory(a, CHUNK_LEN));
	g_assert_cmpuint(volume_copies(volume, 0), ==, 2);
	g_assert_cmpint(volume_read(volume, 0, 0, got, sizeof(got)), ==, 0);
	assert_bytes(got, a, sizeof(got));
	volume_set_behind(volume, 1);
	g_assert_cmpuint(volume_copies(volume, 0), ==, 2);
	g_assert_cmpint(volume_read(volume, 0, 0, got, sizeof(got)), ==, 0);
	assert_bytes(got, b, sizeof(got));
	g_assert_cmpint(volume_read(volume, 0, 1, got, sizeof(got)), ==, 0);
	assert_bytes(got, a, sizeof(got));
}

struct race {
	Volume *volume;
	const uint8_t *data;
	atomic_bool stop;
};

static void *race_read(void *user)
{
	struct race *race = user;
	uint8_t got[512];

	while (!atomic_load(&race->stop)) {
		g_assert_cmpint(volume_read(race->volume, 1000, 0, got, sizeof(got)), ==, 0);
		assert_bytes(got, race->data + 1000, sizeof(got));
	}
	return NULL;
}

static void test_map_replaced(void)
{
	const uint64_t at[][2] = { { 1, 0 } };
	g_autofree uint8_t *data = g_malloc(CHUNK_LEN);
	g_autoptr(Volume) volume = volume_new();
	struct race race = { .volume = volume, .data = data };
	pthread_t thread;

	fill(data, CHUNK_LEN, 3);
	volume_add_device(volume, 1, "memory", byte_source_new_memory(data, CHUNK_LEN));
	for (int i = 0; i < 500; i++) {
		ChunkMap *map = chunk_map_new();

		chunk_add(map, 0, 0, 1, at);
		chunk_map_seal(map);
		volume_set_map(volume, map);
		if (i == 0)
			g_assert_cmpint(pthread_create(&thread, NULL, race_read, &race), ==, 0);
	}
	atomic_store(&race.stop, true);
	pthread_join(thread, NULL);
}

static void test_file(void)
{
	g_autofree char *dir = g_dir_make_tmp("sendfs-XXXXXX", NULL);
	g_autofree char *path = g_build_filename(dir, "image", NULL);
	g_autofree char *fifo = g_build_filename(dir, "fifo", NULL);
	g_autofree uint8_t *data = g_malloc(10000), *got = g_malloc(10000);
	g_autoptr(GError) error = NULL;
	g_autoptr(ByteSource) source = NULL;

	fill(data, 10000, 4);
	g_assert_true(g_file_set_contents(path, (const char *)data, 10000, NULL));
	source = byte_source_open(path, &error);
	g_assert_no_error(error);
	g_assert_cmpuint(byte_source_size(source), ==, 10000);
	g_assert_cmpint(byte_source_read(source, 1, got, 9999), ==, 0);
	assert_bytes(got, data + 1, 9999u);
	g_assert_cmpint(byte_source_read(source, 1, got, 10000), ==, -EIO);
	g_assert_cmpint(byte_source_read(source, UINT64_MAX, got, 2), ==, -EIO);
	/* Cut while it is open. */
	g_assert_cmpint(truncate(path, 5000), ==, 0);
	g_assert_cmpint(byte_source_read(source, 4000, got, 2000), ==, -EIO);

	g_assert_cmpint(mkfifo(fifo, 0600), ==, 0);
	g_assert_null(byte_source_open(fifo, &error));
	g_assert_error(error, BYTE_SOURCE_ERROR, ENOTBLK);
	g_clear_error(&error);
	g_assert_null(byte_source_open(dir, &error));
	g_assert_error(error, BYTE_SOURCE_ERROR, EISDIR);
	g_clear_error(&error);
	g_unlink(fifo);
	g_unlink(path);
	g_assert_null(byte_source_open(path, &error));
	g_assert_error(error, BYTE_SOURCE_ERROR, ENOENT);
	g_assert_nonnull(strstr(error->message, path));
	g_rmdir(dir);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/volume/striped", test_striped);
	g_test_add_func("/volume/failing", test_failing);
	g_test_add_func("/volume/degraded", test_degraded);
	g_test_add_func("/volume/map-replaced", test_map_replaced);
	g_test_add_func("/volume/file", test_file);
	return g_test_run();
}
