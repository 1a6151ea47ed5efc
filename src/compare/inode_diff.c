#include "compare/inode_diff.h"

struct InodeDiff {
	TreeDiff *items;
	InodeReader *new_side, *old_side;
};

InodeDiff *inode_diff_new(const struct tree *new_tree, const struct tree *old_tree)
{
	const struct key first = KEY(BTRFS_FIRST_FREE_OBJECTID, BTRFS_INODE_ITEM_KEY, 0);
	const struct key least = KEY(0, 0, 0);
	g_autoptr(InodeDiff) diff = g_try_new0(InodeDiff, 1);

	if (!diff)
		return NULL;
	diff->items = tree_diff_new(new_tree, old_tree, old_tree ? &least : &first);
	diff->new_side = inode_reader_new(new_tree);
	if (old_tree)
		diff->old_side = inode_reader_new(old_tree);
	if (!diff->items || !diff->new_side || (old_tree && !diff->old_side))
		return NULL;
	return g_steal_pointer(&diff);
}

void inode_diff_free(InodeDiff *diff)
{
	if (!diff)
		return;
	tree_diff_free(diff->items);
	inode_reader_free(diff->new_side);
	inode_reader_free(diff->old_side);
	g_free(diff);
}

InodeReader *inode_diff_new_side(InodeDiff *diff)
{
	return diff->new_side;
}

InodeReader *inode_diff_old_side(InodeDiff *diff)
{
	return diff->old_side;
}

static enum inode_fate fate_of(const struct tree_event *item, const struct inode_change *inode)
{
	switch (item->change) {
	case TREE_ADDED:
		return inode->has_links ? INODE_NEW : INODE_IGNORED;
	case TREE_REMOVED:
		return INODE_DELETED;
	case TREE_SAME:
	case TREE_CHANGED:
		break;
	}
	if (!inode->had_links && !inode->has_links)
		return INODE_IGNORED;
	if (!inode->had_links || !inode->has_links)
		return INODE_REPLACED;
	if (inode->old_item.generation != inode->new_item.generation &&
	    inode->ino != BTRFS_FIRST_FREE_OBJECTID)
		return INODE_REPLACED;
	return INODE_CHANGED;
}

static int start_inode(struct inode_event *event)
{
	struct inode_change *inode = &event->inode;
	int r;

	*inode = (struct inode_change){ .ino = event->item.key.objectid };
	if (event->item.change != TREE_REMOVED) {
		r = inode_item_parse(event->item.new_item, &inode->new_item);
		if (r)
			return r;
		inode->has_links = inode->new_item.nlink > 0;
	}
	if (event->item.change != TREE_ADDED) {
		r = inode_item_parse(event->item.old_item, &inode->old_item);
		if (r)
			return r;
		inode->had_links = inode->old_item.nlink > 0;
	}
	inode->fate = fate_of(&event->item, inode);
	event->starts_inode = true;
	return 0;
}

/* 1 if the directory's number stands for different inodes. */
static int directory_differs(void *user, uint64_t dir, struct span name)
{
	InodeDiff *diff = user;
	uint64_t new_gen, old_gen;
	int r;

	(void)name;
	r = inode_reader_generation(diff->new_side, dir, &new_gen);
	if (r)
		return r;
	r = inode_reader_generation(diff->old_side, dir, &old_gen);
	if (r)
		return r;
	return new_gen != old_gen;
}

/* 1: the event matters, 0: not. */
static int weigh_same_item(InodeDiff *diff, struct tree_event *item)
{
	int r;

	if (item->key.type == BTRFS_EXTENT_DATA_KEY)
		return 1;
	if (item->key.type != BTRFS_INODE_REF_KEY && item->key.type != BTRFS_INODE_EXTREF_KEY)
		return 0;
	r = inode_refs_in_item(&item->key, item->new_item, directory_differs, diff);
	if (r == 1)
		item->change = TREE_CHANGED;
	return r;
}

int inode_diff_next(InodeDiff *diff, struct inode_event *ret)
{
	for (;;) {
		int r = tree_diff_next(diff->items, &ret->item);

		if (r <= 0)
			return r;
		ret->starts_inode = false;
		if (ret->item.change == TREE_SAME) {
			r = weigh_same_item(diff, &ret->item);
			if (r < 0)
				return r;
			if (r == 0)
				continue;
			return 1;
		}
		if (ret->item.key.type == BTRFS_INODE_ITEM_KEY) {
			r = start_inode(ret);
			if (r)
				return r;
		}
		return 1;
	}
}
