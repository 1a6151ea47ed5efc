#include "btrfs/fs/fs.h"
#include "support/fs_image.h"
#include "support/super.h"
#include <glib/gstdio.h>

/*
 * A file system of two devices: its trees on the first, and a chunk of RAID1
 * whose first copy is on the second.
 */
#define MIRRORED ((uint64_t)100 << 20)

struct fixture {
	char *dir, *one, *two;
	FsImage *image;
	struct super first, second; /* what differs from device to device */
};

static void save(struct fixture *f, const struct super *device, const char *path)
{
	uint8_t bytes[SUPER_LEN];
	struct super super = f->image->super;

	memcpy(super.fsid, device->fsid, sizeof(super.fsid));
	memcpy(super.metadata_uuid, device->metadata_uuid, sizeof(super.metadata_uuid));
	memcpy(super.dev_uuid, device->dev_uuid, sizeof(super.dev_uuid));
	super.devid = device->devid;
	super.seeding = device->seeding;
	build_super(&super, bytes);
	image_write(f->image->image, super_offset(0), bytes, sizeof(bytes));
	fs_image_save(f->image, path);
}

static void put_device(FsImage *image, const struct super *super)
{
	GByteArray *item = g_byte_array_new();

	put_dev_item(item, super);
	item_set_put(image->chunks,
		     KEY(BTRFS_DEV_ITEMS_OBJECTID, BTRFS_DEV_ITEM_KEY, super->devid), item);
}

static void set_up(struct fixture *f, const void *user)
{
	const struct built_stripe stripes[] = { { .devid = 2, .physical = 2 << 20 },
						{ .devid = 1, .physical = 4 << 20 } };
	const struct built_chunk chunk = { .length = 1 << 20,
					   .type = BTRFS_BLOCK_GROUP_DATA | BTRFS_BLOCK_GROUP_RAID1,
					   .n_stripes = 2,
					   .sub_stripes = 1,
					   .stripes = stripes };

	(void)user;
	f->dir = g_dir_make_tmp("sendfs-XXXXXX", NULL);
	f->one = g_build_filename(f->dir, "one", NULL);
	f->two = g_build_filename(f->dir, "two", NULL);
	f->image = fs_image_new();
	f->first = f->second = f->image->super;
	f->second.devid = 2;
	f->second.dev_uuid[0] ^= 1;
	fs_image_put_chunk(f->image, MIRRORED, &chunk);
	put_device(f->image, &f->first);
	put_device(f->image, &f->second);
	fs_image_commit(f->image);
	save(f, &f->first, f->one);
	save(f, &f->second, f->two);
}

static void tear_down(struct fixture *f, const void *user)
{
	(void)user;
	g_unlink(f->one);
	g_unlink(f->two);
	g_rmdir(f->dir);
	g_free(f->one);
	g_free(f->two);
	g_free(f->dir);
	fs_image_free(f->image);
}

static Fs *open_both(struct fixture *f, const struct fs_options *options, GError **error)
{
	const char *paths[] = { f->two, f->one };

	return fs_open(paths, 2, options, error);
}

static const struct fs_options strict = { .cache_bytes = 1 << 20 };
static const struct fs_options lenient = { .cache_bytes = 1 << 20, .degraded = true };

/* The first place that MIRRORED is read from. */
static void assert_reads(Fs *fs, unsigned copies, const char *path)
{
	g_autofree char *place = volume_describe(fs_volume(fs), MIRRORED, 0);

	g_assert_cmpuint(volume_copies(fs_volume(fs), MIRRORED), ==, copies);
	g_assert_true(g_str_has_prefix(place, path));
}

static void assert_refused(struct fixture *f, const struct fs_options *options, int code,
			   const char *text)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(Fs) fs = open_both(f, options, &error);

	g_assert_null(fs);
	g_assert_error(error, FS_ERROR, code);
	g_test_message("%s", error->message);
	g_assert_nonnull(strstr(error->message, text));
}

static void test_missing(struct fixture *f, const void *user)
{
	const char *paths[] = { f->one };
	g_autoptr(GError) error = NULL;
	g_autoptr(Fs) both = open_both(f, &strict, NULL);
	g_autoptr(Fs) one = fs_open(paths, 1, &strict, &error);

	(void)user;
	assert_reads(both, 2, f->two);
	g_assert_null(one);
	g_assert_error(error, FS_ERROR, ENODEV);
	g_assert_nonnull(strstr(error->message, "device 2 of the file system is missing"));
	g_assert_nonnull(strstr(error->message, "-o degraded"));
	one = fs_open(paths, 1, &lenient, NULL);
	assert_reads(one, 1, f->one);
}

/* What the kernel lists and cannot be opened is missing. */
static void test_gone(struct fixture *f, const void *user)
{
	struct fs_options mounted = lenient;
	g_autoptr(Fs) fs = NULL;

	(void)user;
	mounted.mounted = true;
	g_unlink(f->two);
	assert_refused(f, &lenient, ENOENT, f->two);
	fs = open_both(f, &mounted, NULL);
	assert_reads(fs, 1, f->one);
}

static void test_behind(struct fixture *f, const void *user)
{
	g_autoptr(Fs) fs = NULL;

	(void)user;
	fs_image_commit(f->image);
	save(f, &f->first, f->one);
	fs = open_both(f, &strict, NULL);
	g_assert_cmpuint(fs_super(fs).generation, ==, f->image->super.generation);
	assert_reads(fs, 2, f->one);
}

/* Two that were the same device once. */
static void test_twins(struct fixture *f, const void *user)
{
	g_autoptr(Fs) fs = NULL;

	(void)user;
	save(f, &f->first, f->two);
	assert_refused(f, &lenient, EEXIST, "there twice");
	fs_image_commit(f->image);
	save(f, &f->first, f->one);
	fs = open_both(f, &lenient, NULL);
	g_assert_cmpuint(fs_super(fs).generation, ==, f->image->super.generation);
	assert_reads(fs, 1, f->one);
}

static void test_foreign(struct fixture *f, const void *user)
{
	struct super other = f->second;

	(void)user;
	other.dev_uuid[5] ^= 1;
	save(f, &other, f->two);
	assert_refused(f, &strict, EXDEV, "is not device 2 of the file system");
	other = f->second;
	other.fsid[5] ^= 1;
	other.metadata_uuid[5] ^= 1;
	save(f, &other, f->two);
	assert_refused(f, &strict, EXDEV, "different file systems");
	other.seeding = true;
	save(f, &other, f->two);
	assert_refused(f, &strict, EXDEV, "is not device 2 of the file system");
}

static void test_seed(struct fixture *f, const void *user)
{
	g_autoptr(Fs) fs = NULL;

	(void)user;
	f->second.fsid[5] ^= 1;
	f->second.metadata_uuid[5] ^= 1;
	f->second.seeding = true;
	put_device(f->image, &f->second);
	fs_image_commit(f->image);
	save(f, &f->second, f->two);
	fs_image_commit(f->image);
	save(f, &f->first, f->one);
	fs = open_both(f, &strict, NULL);
	/* A seed is never behind. */
	assert_reads(fs, 2, f->two);
	g_assert_cmpint(memcmp(fs_super(fs).fsid, f->first.fsid, 16), ==, 0);
	g_assert_cmpint(fs_refresh(fs), ==, 0);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
#define TEST(name, func) g_test_add(name, struct fixture, NULL, set_up, func, tear_down)
	TEST("/devices/missing", test_missing);
	TEST("/devices/gone", test_gone);
	TEST("/devices/behind", test_behind);
	TEST("/devices/twins", test_twins);
	TEST("/devices/foreign", test_foreign);
	TEST("/devices/seed", test_seed);
	return g_test_run();
}
