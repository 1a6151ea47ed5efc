#include "compare/xattr_diff.h"
#include "btrfs/inode/inode_reader.h"

/* Each attribute of @item that is set, as against @other (which may be empty). */
static int visit_set(struct span item, struct span other, xattr_change_fn visit, void *user)
{
	struct cursor c = cursor_of(item);
	int r = 0;

	while (r == 0 && c.left > 0) {
		struct dir_entry entry;
		struct span before;

		r = dir_entry_next(&c, &entry);
		if (r)
			return r;
		r = xattr_find_in_item(other, entry.name, &before);
		if (r == 0 && span_equal(before, entry.data))
			continue;
		if (r && r != -ENOENT)
			return r;
		r = visit(user, entry.name, &entry.data);
	}
	return r;
}

static int visit_removed(struct span item, struct span other, xattr_change_fn visit, void *user)
{
	struct cursor c = cursor_of(item);
	int r = 0;

	while (r == 0 && c.left > 0) {
		struct dir_entry entry;
		struct span after;

		r = dir_entry_next(&c, &entry);
		if (r)
			return r;
		r = xattr_find_in_item(other, entry.name, &after);
		if (r == -ENOENT)
			r = visit(user, entry.name, NULL);
	}
	return r;
}

int xattr_diff(const struct tree_event *event, xattr_change_fn visit, void *user)
{
	int r = visit_set(event->new_item, event->old_item, visit, user);

	return r ? r : visit_removed(event->old_item, event->new_item, visit, user);
}
