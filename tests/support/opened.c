#include "support/opened.h"
#include <glib/gstdio.h>

void opened_begin(struct opened *opened)
{
	*opened = (struct opened){
		.image = fs_image_new(),
		.dir = g_dir_make_tmp("sendfs-XXXXXX", NULL),
	};
	opened->path = g_build_filename(opened->dir, "image", NULL);
}

void opened_open(struct opened *opened)
{
	const struct fs_options options = { .cache_bytes = 16 << 20 };
	const char *paths[] = { opened->path };
	g_autoptr(GError) error = NULL;

	fs_image_commit(opened->image);
	fs_image_save(opened->image, opened->path);
	opened->fs = fs_open(paths, 1, &options, &error);
	g_assert_no_error(error);
}

void opened_end(struct opened *opened)
{
	fs_free(opened->fs);
	fs_image_free(opened->image);
	g_unlink(opened->path);
	g_rmdir(opened->dir);
	g_free(opened->path);
	g_free(opened->dir);
}

void opened_put_subvolume(struct opened *opened, uint64_t id, const ItemSet *items)
{
	const struct root_item root = fs_image_write_tree(opened->image, id, items);

	fs_image_put_root(opened->image, id, &root);
}
