#include "btrfs/subvol/catalog.h"
#include "support/fs_image.h"
#include <glib/gstdio.h>

/*
 * On an image that is not mounted.  Subvolumes 256 and up; directories of the
 * top level: 300 "snaps", 301 "snaps/deep", 302 and 303 inside each other.
 */
struct fixture {
	char *dir, *path;
	FsImage *image;
	Fs *fs;
};

#define TOP ((uint64_t)BTRFS_FS_TREE_OBJECTID)
#define ROOT_DIR ((uint64_t)BTRFS_FIRST_FREE_OBJECTID)

static void put_dir(ItemSet *items, uint64_t ino, uint64_t parent, const char *name)
{
	GByteArray *bytes = g_byte_array_new();

	put_inode_ref(bytes, 2, name);
	item_set_put(items, KEY(ino, BTRFS_INODE_REF_KEY, parent), bytes);
}

static void put_subvolume(FsImage *image, uint64_t id, const ItemSet *items, bool read_only,
			  uint32_t refs)
{
	struct root_item root = fs_image_write_tree(image, id, items);

	root.flags = read_only ? BTRFS_ROOT_SUBVOL_RDONLY : 0;
	root.refs = refs;
	root.otransid = id;
	memset(root.uuid, (int)(id & 0xff), sizeof(root.uuid));
	fs_image_put_root(image, id, &root);
}

static void put_snapshot(FsImage *image, uint64_t id, uint64_t parent, uint64_t dirid,
			 const char *name)
{
	g_autoptr(ItemSet) empty = item_set_new();

	put_subvolume(image, id, empty, true, 1);
	fs_image_put_backref(image, id, parent, dirid, name);
}

static void set_up(struct fixture *f, const void *user)
{
	g_autoptr(ItemSet) top = item_set_new();

	(void)user;
	f->dir = g_dir_make_tmp("sendfs-XXXXXX", NULL);
	f->path = g_build_filename(f->dir, "image", NULL);
	f->image = fs_image_new();
	put_dir(top, 300, ROOT_DIR, "snaps");
	put_dir(top, 301, 300, "deep");
	put_dir(top, 302, 303, "round");
	put_dir(top, 303, 302, "and");
	put_dir(top, 304, ROOT_DIR, "snap/s");
	put_dir(top, 305, ROOT_DIR, "7");
	put_subvolume(f->image, TOP, top, false, 1);
}

static void tear_down(struct fixture *f, const void *user)
{
	(void)user;
	fs_free(f->fs);
	fs_image_free(f->image);
	g_unlink(f->path);
	g_rmdir(f->dir);
	g_free(f->path);
	g_free(f->dir);
}

static void open_image(struct fixture *f)
{
	static const struct fs_options options = { .cache_bytes = 1 << 20 };
	const char *paths[] = { f->path };
	g_autoptr(GError) error = NULL;

	fs_image_commit(f->image);
	fs_image_save(f->image, f->path);
	f->fs = fs_open(paths, 1, &options, &error);
	g_assert_no_error(error);
}

static char *names_of(Fs *fs, const char *pattern)
{
	g_autoptr(Catalog) catalog = catalog_new_unmounted(fs, pattern, NULL);
	g_autoptr(GPtrArray) list = NULL;
	GString *names = g_string_new(NULL);

	g_assert_cmpint(catalog_list(catalog, &list), ==, 0);
	for (guint i = 0; i < list->len; i++) {
		const Snapshot *snapshot = g_ptr_array_index(list, i);

		g_string_append_printf(names, "%s=%" G_GUINT64_FORMAT ":%s ", snapshot->name,
				       snapshot->id, snapshot->leaf_name);
	}
	return g_string_free(names, FALSE);
}

static void assert_names(Fs *fs, const char *pattern, const char *expected)
{
	g_autofree char *names = names_of(fs, pattern);

	g_assert_cmpstr(names, ==, expected);
}

static void assert_found(Fs *fs, const char *name, int expected, uint64_t id)
{
	g_autoptr(Catalog) catalog = catalog_new_unmounted(fs, NULL, NULL);
	g_autoptr(Snapshot) snapshot = NULL;

	g_assert_cmpint(catalog_find(catalog, name, &snapshot), ==, expected);
	if (expected < 0)
		return;
	g_assert_cmpuint(snapshot->id, ==, id);
	g_assert_cmpstr(snapshot->name, ==, name);
}

static void test_list(struct fixture *f, const void *user)
{
	g_autoptr(ItemSet) items = item_set_new();

	(void)user;
	put_snapshot(f->image, 256, TOP, 301, "b");
	put_snapshot(f->image, 257, TOP, 301, "a");
	put_dir(items, 257, ROOT_DIR, "dir");
	put_subvolume(f->image, 258, items, false, 1);
	fs_image_put_backref(f->image, 258, TOP, 300, "home");
	put_snapshot(f->image, 259, 258, 257, "nested");
	put_snapshot(f->image, 260, TOP, ROOT_DIR, "7");
	put_snapshot(f->image, 261, TOP, 305, "snapshot");
	put_snapshot(f->image, 262, TOP, ROOT_DIR, "8");
	put_subvolume(f->image, 263, items, true, 0);
	fs_image_put_backref(f->image, 263, TOP, ROOT_DIR, "deleted");
	put_subvolume(f->image, 264, items, true, 1);
	open_image(f);

	assert_names(f->fs, "snaps/deep/*", "a=257:a b=256:b ");
	assert_names(f->fs, "snaps/home/*/nested", "dir=259:nested ");
	assert_names(f->fs, "*/home", "");
	/* 7 and 7/snapshot: the first pattern has it. */
	assert_names(f->fs, NULL, "7=260:7 8=262:8 ");
	assert_names(f->fs, "*/snapshot", "7=261:snapshot ");

	assert_found(f->fs, "7", 0, 260);
	assert_found(f->fs, "261", 0, 261);
	assert_found(f->fs, "snaps%2Fhome", 0, 258);
	assert_found(f->fs, "snaps%2fhome%2Fdir%2Fnested", 0, 259);
	assert_found(f->fs, "03030303-0303-0303-0303-030303030303", 0, 259);
	assert_found(f->fs, "03030303-0303-0303-0303-030303030304", -ENOENT, 0);
	assert_found(f->fs, "263", -ENOENT, 0);
	assert_found(f->fs, "264", -ENOENT, 0);
	assert_found(f->fs, "5", -ENOENT, 0);
	assert_found(f->fs, "deleted", -ENOENT, 0);
	assert_found(f->fs, "..", -ENOENT, 0);
	assert_found(f->fs, "", -ENOENT, 0);
	assert_found(f->fs, "a/b", -ENOENT, 0);
	assert_found(f->fs, "99999999999999999999999", -ENOENT, 0);
}

/* Paths that lead nowhere cost the path, no more. */
static void test_hostile(struct fixture *f, const void *user)
{
	(void)user;
	put_snapshot(f->image, 256, TOP, ROOT_DIR, "good");
	put_snapshot(f->image, 257, 258, ROOT_DIR, "round");
	put_snapshot(f->image, 258, 257, ROOT_DIR, "round");
	put_snapshot(f->image, 259, 259, ROOT_DIR, "itself");
	put_snapshot(f->image, 260, TOP, 302, "in-a-round");
	put_snapshot(f->image, 261, TOP, 304, "slash-above");
	put_snapshot(f->image, 262, TOP, 999, "no-directory");
	put_snapshot(f->image, 263, 4000, ROOT_DIR, "no-parent");
	put_snapshot(f->image, 264, TOP, ROOT_DIR, "sla/sh");
	put_snapshot(f->image, 265, TOP, ROOT_DIR, "..");
	put_snapshot(f->image, 266, TOP, ROOT_DIR, "good");
	put_snapshot(f->image, 267, BTRFS_EXTENT_TREE_OBJECTID, 300, "no-subvolume");
	open_image(f);

	assert_names(f->fs, NULL, "good=256:good ");
	for (uint64_t id = 257; id <= 267; id++) {
		g_autofree char *name = g_strdup_printf("%" G_GUINT64_FORMAT, id);

		assert_found(f->fs, name, id == 264 || id == 265 ? -ENOENT : 0, id);
	}
}

static void test_pin(struct fixture *f, const void *user)
{
	g_autoptr(Catalog) catalog = NULL;
	g_autoptr(Snapshot) snapshot = NULL;
	int fd = 7;

	(void)user;
	put_snapshot(f->image, 256, TOP, ROOT_DIR, "a");
	open_image(f);
	catalog = catalog_new_unmounted(f->fs, NULL, NULL);
	g_assert_cmpint(catalog_find(catalog, "a", &snapshot), ==, 0);
	g_assert_cmpint(catalog_pin(catalog, snapshot, &fd), ==, 0);
	g_assert_cmpint(fd, ==, -1);
	g_assert_cmpint(catalog_settle(catalog, snapshot, fd), ==, 0);
}

static void test_predecessor(void)
{
	Snapshot all[] = {
		{ .id = 1, .otransid = 10, .uuid = { 1 } },			   /* an origin */
		{ .id = 2, .otransid = 11, .uuid = { 2 }, .parent_uuid = { 1 } },
		{ .id = 3, .otransid = 12, .uuid = { 3 }, .parent_uuid = { 9 } }, /* of another */
		{ .id = 4, .otransid = 13, .uuid = { 4 }, .parent_uuid = { 1 } },
		{ .id = 5, .otransid = 13, .uuid = { 5 }, .parent_uuid = { 1 } },
		{ .id = 6, .otransid = 14, .uuid = { 6 } },
		{ .id = 7, .otransid = 15, .uuid = { 7 }, .parent_uuid = { 6 } },
	};
	static const int expected[] = { -1, 0, -1, 1, 3, -1, 5 };
	g_autoptr(GPtrArray) list = g_ptr_array_new();

	for (size_t i = G_N_ELEMENTS(all); i > 0; i--)
		g_ptr_array_add(list, &all[i - 1]);
	for (size_t i = 0; i < G_N_ELEMENTS(all); i++) {
		const Snapshot *before = catalog_predecessor(list, &all[i]);

		g_assert_true(before == (expected[i] < 0 ? NULL : &all[expected[i]]));
	}
}

#define TEST(name, function) \
	g_test_add("/catalog/" name, struct fixture, NULL, set_up, function, tear_down)

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	TEST("list", test_list);
	TEST("hostile", test_hostile);
	TEST("pin", test_pin);
	g_test_add_func("/catalog/predecessor", test_predecessor);
	return g_test_run();
}
