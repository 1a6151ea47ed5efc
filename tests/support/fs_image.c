#include "support/fs_image.h"
#include "support/super.h"
#include <fcntl.h>
#include <unistd.h>

#define NODE_SIZE 4096u
#define FANOUT 8u
#define TREES_AT (1 << 20)

FsImage *fs_image_new(void)
{
	const struct built_stripe stripe = { .devid = 1, .physical = TREES_AT };
	const struct built_chunk chunk = { .length = 8 << 20,
					   .type = BTRFS_BLOCK_GROUP_SYSTEM,
					   .n_stripes = 1,
					   .sub_stripes = 1,
					   .stripes = &stripe };
	FsImage *fs = g_new0(FsImage, 1);

	fs->image = image_new(FS_IMAGE_LEN);
	fs->format = example_format(NODE_SIZE);
	fs->builder = tree_builder_new(fs->image, &fs->format, 0, FANOUT);
	fs->super = example_super();
	fs->super.node_size = NODE_SIZE;
	fs->super.total_bytes = FS_IMAGE_LEN;
	fs->chunks = item_set_new();
	fs->roots = item_set_new();
	fs_image_put_chunk(fs, TREES_AT, &chunk);
	return fs;
}

void fs_image_free(FsImage *fs)
{
	if (!fs)
		return;
	item_set_free(fs->chunks);
	item_set_free(fs->roots);
	tree_builder_free(fs->builder);
	image_free(fs->image);
	g_free(fs);
}

void fs_image_put_chunk(FsImage *fs, uint64_t logical, const struct built_chunk *chunk)
{
	GByteArray *item = g_byte_array_new();

	put_chunk_item(item, chunk);
	item_set_put(fs->chunks,
		     KEY(BTRFS_FIRST_CHUNK_TREE_OBJECTID, BTRFS_CHUNK_ITEM_KEY, logical), item);
}

struct root_item fs_image_write_tree(FsImage *fs, uint64_t id, const ItemSet *items)
{
	const struct tree_root root =
		tree_builder_write(fs->builder, items, id, fs->super.generation + 1);

	return example_root(root.logical, root.generation, root.level);
}

void fs_image_put_root(FsImage *fs, uint64_t id, const struct root_item *item)
{
	GByteArray *bytes = g_byte_array_new();

	put_root_item(bytes, item);
	item_set_put(fs->roots, KEY(id, BTRFS_ROOT_ITEM_KEY, 0), bytes);
}

void fs_image_put_backref(FsImage *fs, uint64_t id, uint64_t parent, uint64_t dirid,
			  const char *name)
{
	GByteArray *bytes = g_byte_array_new();

	put_root_ref(bytes, dirid, 1, name);
	item_set_put(fs->roots, KEY(id, BTRFS_ROOT_BACKREF_KEY, parent), bytes);
}

static struct super_root super_root_of(struct tree_root root)
{
	return (struct super_root){ .logical = root.logical,
				    .generation = root.generation,
				    .level = root.level };
}

void fs_image_commit(FsImage *fs)
{
	const uint64_t generation = fs->super.generation + 1;
	/* Something new in every commit: the root block is never shared. */
	const struct root_item extents = fs->extent_root.bytenr ?
						 fs->extent_root :
						 example_root(0, generation, 0);
	uint8_t bytes[SUPER_LEN];

	fs_image_put_root(fs, BTRFS_EXTENT_TREE_OBJECTID, &extents);
	fs->super.chunk_root = super_root_of(tree_builder_write(
		fs->builder, fs->chunks, BTRFS_CHUNK_TREE_OBJECTID, generation));
	fs->super.root = super_root_of(tree_builder_write(fs->builder, fs->roots,
							  BTRFS_ROOT_TREE_OBJECTID, generation));
	fs->super.generation = generation;
	build_super(&fs->super, bytes);
	image_write(fs->image, super_offset(0), bytes, sizeof(bytes));
}

void fs_image_save(const FsImage *fs, const char *path)
{
	const size_t len = fs->image->used - TREES_AT, at = super_offset(0);
	const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	g_assert_cmpint(fd, >=, 0);
	/* The superblock last, as a commit does it; what is not used is zeros. */
	g_assert_cmpint(pwrite(fd, fs->image->data + TREES_AT, len, TREES_AT), ==, (ssize_t)len);
	g_assert_cmpint(pwrite(fd, fs->image->data + at, SUPER_LEN, (off_t)at), ==, SUPER_LEN);
	g_assert_cmpint(ftruncate(fd, (off_t)FS_IMAGE_LEN), ==, 0);
	close(fd);
}
