#include "btrfs/fs/fs.h"
#include "support/fs_image.h"
#include "support/super.h"
#include <fcntl.h>
#include <glib/gstdio.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

struct fixture {
	char *dir, *path, *second;
	FsImage *image;
};

static void add_subvolume(FsImage *image, uint64_t id)
{
	g_autoptr(ItemSet) items = item_set_new();
	struct root_item root = fs_image_write_tree(image, id, items);

	root.otransid = id;
	fs_image_put_root(image, id, &root);
}

static void set_up(struct fixture *f, const void *user)
{
	(void)user;
	f->dir = g_dir_make_tmp("sendfs-XXXXXX", NULL);
	f->path = g_build_filename(f->dir, "one", NULL);
	f->second = g_build_filename(f->dir, "two", NULL);
	f->image = fs_image_new();
	add_subvolume(f->image, BTRFS_FS_TREE_OBJECTID);
	add_subvolume(f->image, 256);
	fs_image_commit(f->image);
	fs_image_save(f->image, f->path);
}

static void tear_down(struct fixture *f, const void *user)
{
	(void)user;
	g_unlink(f->path);
	g_unlink(f->second);
	g_rmdir(f->dir);
	g_free(f->path);
	g_free(f->second);
	g_free(f->dir);
	fs_image_free(f->image);
}

static const struct fs_options options = { .cache_bytes = 1 << 20,
					   .readahead_bytes = 64 << 10,
					   .n_workers = 2 };

static Fs *open_one(const char *path, GError **error)
{
	const char *paths[] = { path };

	return fs_open(paths, 1, &options, error);
}

static void assert_refused(const char *path, int code, const char *text)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(Fs) fs = open_one(path, &error);

	g_assert_null(fs);
	g_assert_error(error, FS_ERROR, code);
	g_assert_true(g_str_has_prefix(error->message, path));
	g_test_message("%s", error->message);
	g_assert_nonnull(strstr(error->message, text));
}

static void overwrite(const char *path, uint64_t at, const void *bytes, size_t len)
{
	const int fd = open(path, O_WRONLY | O_CLOEXEC);

	g_assert_cmpint(fd, >=, 0);
	g_assert_cmpint(pwrite(fd, bytes, len, (off_t)at), ==, (ssize_t)len);
	close(fd);
}

static void test_open(struct fixture *f, const void *user)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(Fs) fs = open_one(f->path, &error);
	struct root_item item;
	struct tree tree;

	(void)user;
	g_assert_no_error(error);
	g_assert_cmpuint(fs_super(fs).generation, ==, f->image->super.generation);
	g_assert_cmpint(fs_subvolume(fs, 256, &item, &tree), ==, 0);
	g_assert_cmpuint(item.otransid, ==, 256);
	g_assert_cmpuint(tree.logical, ==, item.bytenr);
	g_assert_cmpuint(tree.id, ==, 256);
	g_assert_cmpint(fs_subvolume(fs, 5, NULL, NULL), ==, 0);
	g_assert_cmpint(fs_subvolume(fs, 257, NULL, NULL), ==, -ENOENT);
	g_assert_cmpint(fs_subvolume(fs, BTRFS_EXTENT_TREE_OBJECTID, NULL, NULL), ==, -ENOENT);
	g_assert_cmpint(fs_tree(fs, BTRFS_EXTENT_TREE_OBJECTID, &tree), ==, 0);
	g_assert_cmpint(fs_tree(fs, BTRFS_CSUM_TREE_OBJECTID, &tree), ==, -ENOENT);
	g_assert_cmpint(fs_tree(fs, BTRFS_CHUNK_TREE_OBJECTID, &tree), ==, 0);
	g_assert_cmpuint(tree.logical, ==, f->image->super.chunk_root.logical);
}

static struct built_chunk data_chunk(const struct built_stripe *stripe, uint64_t profile,
				     uint16_t n)
{
	return (struct built_chunk){ .length = 1 << 20,
				     .type = BTRFS_BLOCK_GROUP_DATA | profile,
				     .n_stripes = n,
				     .sub_stripes = 1,
				     .stripes = stripe };
}

static void put_data_chunks(FsImage *image, unsigned n, uint64_t first)
{
	const struct built_stripe stripe = { .devid = 1, .physical = 2 << 20 };
	const struct built_chunk chunk = data_chunk(&stripe, 0, 1);

	for (unsigned i = 0; i < n; i++)
		fs_image_put_chunk(image, first + ((uint64_t)i << 20), &chunk);
}

static void test_refresh(struct fixture *f, const void *user)
{
	g_autoptr(Fs) fs = open_one(f->path, NULL);
	const uint64_t before = fs_super(fs).generation;
	struct root_item item;

	(void)user;
	g_assert_cmpint(fs_refresh(fs), ==, 0);
	g_assert_cmpuint(fs_super(fs).generation, ==, before);
	g_assert_cmpuint(volume_copies(fs_volume(fs), 100 << 20), ==, 0);
	add_subvolume(f->image, 257);
	put_data_chunks(f->image, 1, 100 << 20);
	fs_image_commit(f->image);
	fs_image_save(f->image, f->path);
	/* Asking for what was not there looks for a newer state by itself. */
	g_assert_cmpint(fs_subvolume(fs, 257, &item, NULL), ==, 0);
	g_assert_cmpuint(fs_super(fs).generation, ==, before + 1);
	g_assert_cmpuint(volume_copies(fs_volume(fs), 100 << 20), ==, 1);
}

/* A newer superblock that leads to damage does not replace a sound state. */
static void test_refresh_damaged(struct fixture *f, const void *user)
{
	g_autoptr(Fs) fs = open_one(f->path, NULL);
	const uint64_t before = fs_super(fs).generation;

	(void)user;
	fs_image_commit(f->image);
	fs_image_save(f->image, f->path);
	overwrite(f->path, f->image->super.root.logical + 200, "damage", 6);
	g_assert_cmpint(fs_refresh(fs), ==, -EBADMSG);
	g_assert_cmpuint(fs_super(fs).generation, ==, before);
	g_assert_cmpint(fs_subvolume(fs, 256, NULL, NULL), ==, 0);
	fs_image_save(f->image, f->path);
	g_assert_cmpint(fs_refresh(fs), ==, 0);
	g_assert_cmpuint(fs_super(fs).generation, ==, before + 1);
}

/* A leaf of the root tree in use, not read so far, is overwritten, and a newer
 * root tree is there. */
static void test_overtaken(struct fixture *f, const void *user)
{
	const uint8_t zeros[4096] = { 0 };
	g_autoptr(Fs) fs = NULL;
	struct root_item item;
	uint64_t leaf;

	(void)user;
	for (uint64_t id = 257; id < 300; id++)
		add_subvolume(f->image, id);
	fs_image_commit(f->image);
	fs_image_save(f->image, f->path);
	g_assert_cmpuint(f->image->super.root.level, ==, 1);
	leaf = load_le64(f->image->image->data + f->image->super.root.logical + 101 + 17);
	fs = open_one(f->path, NULL);

	add_subvolume(f->image, 256);
	fs_image_commit(f->image);
	image_write(f->image->image, leaf, zeros, sizeof(zeros));
	fs_image_save(f->image, f->path);
	g_assert_cmpint(fs_subvolume(fs, 256, &item, NULL), ==, 0);
	g_assert_cmpuint(fs_super(fs).generation, ==, f->image->super.generation);
}

struct reader {
	Fs *fs;
	atomic_bool stop;
};

static void *read_on(void *user)
{
	struct reader *reader = user;
	uint64_t newest = 0;

	while (!atomic_load(&reader->stop)) {
		struct root_item item;

		g_assert_cmpint(fs_refresh(reader->fs), ==, 0);
		g_assert_cmpint(fs_subvolume(reader->fs, 256, &item, NULL), ==, 0);
		g_assert_cmpuint(item.generation, >=, newest);
		newest = item.generation;
	}
	return NULL;
}

/* Several threads follow a file system that commits. */
static void test_threads(struct fixture *f, const void *user)
{
	struct reader reader = { .fs = open_one(f->path, NULL) };
	pthread_t threads[3];
	struct root_item item;

	(void)user;
	for (size_t i = 0; i < G_N_ELEMENTS(threads); i++)
		g_assert_cmpint(pthread_create(&threads[i], NULL, read_on, &reader), ==, 0);
	for (uint64_t i = 0; i < 60; i++) {
		add_subvolume(f->image, 256);
		put_data_chunks(f->image, 1, (100 + i) << 20);
		fs_image_commit(f->image);
		fs_image_save(f->image, f->path);
	}
	atomic_store(&reader.stop, true);
	for (size_t i = 0; i < G_N_ELEMENTS(threads); i++)
		pthread_join(threads[i], NULL);
	g_assert_cmpint(fs_refresh(reader.fs), ==, 0);
	g_assert_cmpint(fs_subvolume(reader.fs, 256, &item, NULL), ==, 0);
	g_assert_cmpuint(fs_super(reader.fs).generation, ==, f->image->super.generation);
	for (uint64_t i = 0; i < 60; i++)
		g_assert_cmpuint(volume_copies(fs_volume(reader.fs), (100 + i) << 20), ==, 1);
	fs_free(reader.fs);
}

static void test_many_chunks(struct fixture *f, const void *user)
{
	g_autoptr(Fs) fs = NULL;

	(void)user;
	put_data_chunks(f->image, 2000, 100 << 20);
	fs_image_commit(f->image);
	g_assert_cmpuint(f->image->super.chunk_root.level, >=, 2);
	fs_image_save(f->image, f->path);
	fs = open_one(f->path, NULL);
	g_assert_nonnull(fs);
	for (uint64_t i = 100; i < 2100; i++)
		g_assert_cmpuint(volume_copies(fs_volume(fs), i << 20), ==, 1);
	g_assert_cmpuint(volume_copies(fs_volume(fs), (uint64_t)2100 << 20), ==, 0);
	/* Whether a worker or the opening itself came first depends on the machine. */
	g_assert_cmpuint(node_store_stats(fs_nodes(fs)).queued, >, 0);
}

static void test_bad_chunks(struct fixture *f, const void *user)
{
	const struct built_stripe stripes[] = { { .devid = 1, .physical = 2 << 20 },
						{ .devid = 1, .physical = 4 << 20 },
						{ .devid = 1, .physical = 6 << 20 } };
	const struct built_stripe elsewhere = { .devid = 7, .physical = 2 << 20 };
	const struct built_stripe far = { .devid = 1, .physical = FS_IMAGE_LEN - (1 << 19) };
	const struct {
		struct built_chunk chunk;
		uint64_t logical;
		int code;
		const char *text;
	} cases[] = {
		{ data_chunk(stripes, BTRFS_BLOCK_GROUP_RAID6, 2), 100 << 20, EUCLEAN,
		  "chunk at 104857600" },
		{ data_chunk(&elsewhere, 0, 1), 100 << 20, ENODEV, "device 7" },
		{ data_chunk(&far, 0, 1), 100 << 20, EUCLEAN, "truncated" },
		{ data_chunk(stripes, 0, 2), 100 << 20, EUCLEAN, "chunk at 104857600" },
		{ data_chunk(stripes, 0, 1), 8 << 20, EUCLEAN, "chunk at 8388608" },
	};

	(void)user;
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		const struct key key = KEY(BTRFS_FIRST_CHUNK_TREE_OBJECTID, BTRFS_CHUNK_ITEM_KEY,
					   cases[i].logical);

		fs_image_put_chunk(f->image, cases[i].logical, &cases[i].chunk);
		fs_image_commit(f->image);
		fs_image_save(f->image, f->path);
		assert_refused(f->path, cases[i].code, cases[i].text);
		item_set_remove(f->image->chunks, key);
	}
}

static void test_refused(struct fixture *f, const void *user)
{
	const uint8_t zeros[SUPER_LEN] = { 0 };
	const char *twice[] = { f->path, f->path };
	const char *both[] = { f->path, f->second };
	g_autoptr(FsImage) other = fs_image_new();
	g_autoptr(GError) error = NULL;

	(void)user;
	assert_refused(f->dir, EISDIR, "directory");
	assert_refused(f->second, ENOENT, "No such file");
	g_assert_null(fs_open(twice, 2, &options, &error));
	g_assert_error(error, FS_ERROR, EEXIST);
	g_clear_error(&error);

	other->super.fsid[0] ^= 1;
	other->super.metadata_uuid[0] ^= 1;
	fs_image_commit(other);
	fs_image_save(other, f->second);
	g_assert_null(fs_open(both, 2, &options, &error));
	g_assert_error(error, FS_ERROR, EXDEV);

	overwrite(f->path, f->image->super.root.logical + 200, "damage", 6);
	assert_refused(f->path, EBADMSG, "root tree");
	overwrite(f->path, f->image->super.chunk_root.logical + 200, "damage", 6);
	assert_refused(f->path, EBADMSG, "chunk tree");
	g_assert_cmpint(truncate(f->path, 1 << 20), ==, 0);
	assert_refused(f->path, EUCLEAN, "truncated");
	overwrite(f->path, super_offset(0), zeros, sizeof(zeros));
	assert_refused(f->path, EINVAL, "not a btrfs");
	g_assert_cmpint(truncate(f->path, 1000), ==, 0);
	assert_refused(f->path, EUCLEAN, "too small");
}

static void test_unknown_feature(struct fixture *f, const void *user)
{
	(void)user;
	f->image->super.incompat_flags |= 1 << 12; /* zoned */
	fs_image_commit(f->image);
	fs_image_save(f->image, f->path);
	assert_refused(f->path, EOPNOTSUPP, "zoned");
}

static void put_super_copy(const char *path, struct super super, unsigned copy)
{
	uint8_t bytes[SUPER_LEN];

	super.bytenr = super_offset(copy);
	build_super(&super, bytes);
	overwrite(path, super_offset(copy), bytes, sizeof(bytes));
}

static void test_super_copies(struct fixture *f, const void *user)
{
	const struct super good = f->image->super;
	struct super other = good;

	(void)user;
	/* The first is damaged, the second good. */
	overwrite(f->path, super_offset(0) + 300, "damage", 6);
	assert_refused(f->path, EBADMSG, "checksum");
	put_super_copy(f->path, good, 1);
	g_autoptr(Fs) fs = open_one(f->path, NULL);
	g_assert_nonnull(fs);
	/* The first is older and leads nowhere; of another file system, newer. */
	other.generation -= 1;
	other.root.logical += 1 << 20;
	put_super_copy(f->path, other, 0);
	g_autoptr(Fs) newest = open_one(f->path, NULL);
	g_assert_nonnull(newest);
	g_assert_cmpuint(fs_super(newest).generation, ==, good.generation);
	other = good;
	other.generation += 1;
	other.fsid[3] ^= 1;
	other.metadata_uuid[3] ^= 1;
	put_super_copy(f->path, good, 0);
	put_super_copy(f->path, other, 1);
	g_autoptr(Fs) first = open_one(f->path, NULL);
	g_assert_nonnull(first);
	g_assert_cmpuint(fs_super(first).generation, ==, good.generation);
}

/* With the right checksum on wrong bytes: an error, or an open file system. */
static void test_damaged_super(struct fixture *f, const void *user)
{
	uint8_t good[SUPER_LEN], bad[SUPER_LEN];

	(void)user;
	build_super(&f->image->super, good);
	for (size_t bit = 32 * 8; bit < (811 + 200) * 8; bit += 3) {
		g_autoptr(GError) error = NULL;
		g_autoptr(Fs) fs = NULL;

		memcpy(bad, good, sizeof(bad));
		bad[bit / 8] ^= (uint8_t)(1 << bit % 8);
		super_seal(bad);
		overwrite(f->path, super_offset(0), bad, sizeof(bad));
		fs = open_one(f->path, &error);
		g_assert_true(fs || error);
	}
}

#define TEST(name, function) \
	g_test_add("/fs/" name, struct fixture, NULL, set_up, function, tear_down)

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	TEST("open", test_open);
	TEST("refresh", test_refresh);
	TEST("refresh-damaged", test_refresh_damaged);
	TEST("overtaken", test_overtaken);
	TEST("threads", test_threads);
	TEST("many-chunks", test_many_chunks);
	TEST("bad-chunks", test_bad_chunks);
	TEST("refused", test_refused);
	TEST("unknown-feature", test_unknown_feature);
	TEST("super-copies", test_super_copies);
	TEST("damaged-super", test_damaged_super);
	return g_test_run();
}
