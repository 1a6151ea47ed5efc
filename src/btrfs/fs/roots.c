#include "base/error.h"
#include "btrfs/fs/fs.h"
#include <errno.h>

/* Commits that may overtake one search in the root tree. */
#define TRIES_MOST 5u

static struct tree tree_of(Fs *fs, uint64_t id, const struct super_root *root)
{
	return (struct tree){ .store = fs_nodes(fs),
			      .id = id,
			      .logical = root->logical,
			      .generation = root->generation,
			      .level = root->level };
}

int fs_root_tree(Fs *fs, struct tree *ret)
{
	const struct super super = fs_super(fs);

	*ret = tree_of(fs, BTRFS_ROOT_TREE_OBJECTID, &super.root);
	return 0;
}

/* The last root item of @id: its key's offset can be anything. */
static int find_root_item(const struct tree *root_tree, uint64_t id, struct root_item *ret)
{
	const struct key last = KEY(id, BTRFS_ROOT_ITEM_KEY, UINT64_MAX);
	g_autoptr(TreeCursor) cursor = tree_cursor_new(root_tree, TREE_READAHEAD_NONE);
	struct key key;
	int r;

	if (!cursor)
		return -ENOMEM;
	r = tree_cursor_seek_before(cursor, &last);
	if (r < 0)
		return r;
	key = tree_cursor_key(cursor);
	if (key.objectid != id || key.type != BTRFS_ROOT_ITEM_KEY)
		return -ENOENT;
	return root_item_parse(tree_cursor_item(cursor), ret);
}

static bool newer_may_help(int r)
{
	return r == -ENOENT || error_may_be_overtaken(r);
}

/* Searches as of the superblock in use, and as of newer ones while there are
 * any: the file system may be mounted and changing. */
static int find_root(Fs *fs, uint64_t id, struct root_item *ret)
{
	int r = -ENOENT;

	for (unsigned tries = 0; tries < TRIES_MOST; tries++) {
		const struct super super = fs_super(fs);
		const struct tree root_tree = tree_of(fs, BTRFS_ROOT_TREE_OBJECTID, &super.root);

		r = find_root_item(&root_tree, id, ret);
		if (!newer_may_help(r) || fs_refresh(fs) < 0 ||
		    fs_super(fs).generation == super.generation)
			break;
	}
	return r;
}

static struct tree tree_of_item(Fs *fs, uint64_t id, const struct root_item *item)
{
	const struct super_root root = { .logical = item->bytenr,
					 .generation = item->generation,
					 .level = item->level };

	return tree_of(fs, id, &root);
}

int fs_tree(Fs *fs, uint64_t id, struct tree *ret)
{
	const struct super super = fs_super(fs);
	struct root_item item;
	int r;

	if (id == BTRFS_ROOT_TREE_OBJECTID)
		return fs_root_tree(fs, ret);
	if (id == BTRFS_CHUNK_TREE_OBJECTID) {
		*ret = tree_of(fs, id, &super.chunk_root);
		return 0;
	}
	r = find_root(fs, id, &item);
	if (r == 0)
		*ret = tree_of_item(fs, id, &item);
	return r;
}

static bool is_subvolume_id(uint64_t id)
{
	return id == BTRFS_FS_TREE_OBJECTID ||
	       (id >= BTRFS_FIRST_FREE_OBJECTID && id <= BTRFS_LAST_FREE_OBJECTID);
}

int fs_subvolume(Fs *fs, uint64_t id, struct root_item *ret_item, struct tree *ret_tree)
{
	struct root_item item;
	int r;

	if (!is_subvolume_id(id))
		return -ENOENT;
	r = find_root(fs, id, &item);
	if (r < 0)
		return r;
	if (ret_tree)
		*ret_tree = tree_of_item(fs, id, &item);
	if (ret_item)
		*ret_item = item;
	return 0;
}
