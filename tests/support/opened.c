#include "support/opened.h"
#include <fcntl.h>
#include <glib/gstdio.h>
#include <unistd.h>

void opened_begin(struct opened *opened)
{
	*opened = (struct opened){
		.image = fs_image_new(),
		.dir = g_dir_make_tmp("sendfs-XXXXXX", NULL),
	};
	opened->path = g_build_filename(opened->dir, "image", NULL);
}

static void open_image(struct opened *opened)
{
	const struct fs_options options = { .cache_bytes = 16 << 20 };
	const char *paths[] = { opened->path };
	g_autoptr(GError) error = NULL;

	opened->fs = fs_open(paths, 1, &options, &error);
	g_assert_no_error(error);
}

void opened_open(struct opened *opened)
{
	fs_image_commit(opened->image);
	fs_image_save(opened->image, opened->path);
	open_image(opened);
}

void opened_change_leaf(struct opened *opened, const struct block_head *leaf,
			const ItemSet *items)
{
	g_autoptr(GArray) list = g_array_new(FALSE, FALSE, sizeof(struct block_item));
	const int fd = open(opened->path, O_WRONLY | O_CLOEXEC);
	const size_t len = opened->image->format.node_size;
	g_autofree uint8_t *block = NULL;

	for (size_t i = 0; i < item_set_count(items); i++) {
		const struct block_item item = item_set_at(items, i);

		g_array_append_val(list, item);
	}
	block = build_leaf(&opened->image->format, leaf,
			   &g_array_index(list, struct block_item, 0), list->len);
	g_assert_cmpint(pwrite(fd, block, len, (off_t)leaf->logical), ==, (ssize_t)len);
	close(fd);
	fs_free(opened->fs);
	open_image(opened);
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
