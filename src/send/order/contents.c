#include "send/order/contents.h"
#include "compare/extent_diff.h"
#include "compare/xattr_diff.h"
#include "send/order/clone_range.h"
#include "send/order/emit.h"
#include <linux/xattr.h>
#include <sys/stat.h>

#define CAPABILITY "security.capability"

static bool sends_holes(const struct sender *sender)
{
	const struct current_inode *current = &sender->current;

	return sender->standing.old && !current->is_new && !current->replaced &&
	       !current->deleted && S_ISREG(current->mode);
}

static int parse_extent(const struct tree_event *event, struct extent_item *ret)
{
	ret->offset = event->key.offset;
	return file_extent_parse(event->new_item, &ret->extent);
}

/* 10.1 steps 3 and 4, in the variants that send holes this way; or in all. */
static int write_or_clone_in(struct sender *sender, const struct clone_wanted *wanted,
			     enum hole_way way, bool in_all)
{
	const struct range range = {
		.item = wanted->item,
		.end = MIN(extent_item_end(wanted->item), wanted->size),
		.not_in = in_all ? 0 : ~hole_way_variants(way),
		.next_write_offset = wanted->next_write_offset[way],
	};
	struct clone_source source;
	int r = clones_find(sender->clones, wanted, way, &source);

	if (r < 0 || wanted->item->offset >= range.end)
		return MIN(r, 0);
	return send_range(sender, &range, r ? &source : NULL);
}

static int write_or_clone(struct sender *sender, const struct extent_item *item,
			  uint64_t leaf_owner)
{
	struct current_inode *current = &sender->current;
	const uint64_t end = MIN(extent_item_end(item), current->size);
	struct clone_wanted wanted = {
		.item = item,
		.ino = sender->standing.current.ino,
		.leaf_owner = leaf_owner,
		.size = current->size,
	};
	int r;

	memcpy(wanted.next_write_offset, current->next_write_offset,
	       sizeof(wanted.next_write_offset));
	r = clones_alike(sender->clones, &wanted);
	if (r < 0)
		return r;
	if (r)
		r = write_or_clone_in(sender, &wanted, 0, true);
	else
		for (unsigned way = 0; r == 0 && way < HOLE_WAYS; way++)
			r = write_or_clone_in(sender, &wanted, way, false);
	for (unsigned way = 0; item->offset < end && way < HOLE_WAYS; way++)
		current->next_write_offset[way] = end;
	return r;
}

int send_extent(struct sender *sender, const struct tree_event *event)
{
	struct extent_item item;
	int r;

	if (S_ISLNK(sender->current.mode))
		return 0;
	r = parse_extent(event, &item);
	if (r)
		return r;
	if (!sender->standing.old || sender->current.is_new) {
		if (item.extent.type == BTRFS_FILE_EXTENT_PREALLOC ||
		    (item.extent.type == BTRFS_FILE_EXTENT_REG && item.extent.disk_bytenr == 0))
			return 0;
	} else {
		r = extent_unchanged(sender->standing.old, sender->standing.current.ino, &item);
		if (r < 0)
			return r;
		if (r)
			return send_hole_before(sender, &item, event->first_in_leaf);
	}
	r = write_or_clone(sender, &item, event->leaf_owner);
	return r ? r : send_hole_before(sender, &item, event->first_in_leaf);
}

/* The end of the last extent item with an offset <= @offset; 0 if none. */
static int find_last_end(struct sender *sender, uint64_t offset)
{
	struct extent_item item;
	int r = inode_reader_extent_before(sender->standing.new, sender->standing.current.ino,
					   offset, &item);

	if (r && r != -ENOENT)
		return r;
	sender->current.last_end = r ? 0 : extent_item_end(&item);
	return 0;
}

/* Sends the hole from the last end up to @end, unless the old file has it. */
static int send_hole(struct sender *sender, uint64_t end)
{
	struct current_inode *current = &sender->current;
	struct command command = {
		.type = CMD_FALLOCATE,
		.hole = {
			.ino = sender->standing.current.ino,
			.offset = current->last_end,
			.end = end,
			.file_size = current->size,
		},
	};
	const bool behind_end = command.hole.offset >= current->size;
	int r = range_is_hole(sender->standing.old, command.hole.ino, command.hole.offset, end);

	if (r)
		return MIN(r, 0);
	if (behind_end)
		command.not_in = VARIANTS_PROTOCOL_1;
	else
		current->next_write_offset[HOLES_WRITTEN] = MIN(end, current->size);
	return emit_for_current(sender, &command);
}

int send_hole_before(struct sender *sender, const struct extent_item *item, bool first_in_leaf)
{
	struct current_inode *current = &sender->current;
	int r = 0;

	if (!sends_holes(sender))
		return 0;
	/* Leaves that both sides share were passed over: at the start of a
	 * leaf, the end known so far may be too low. */
	if (current->last_end == LAST_END_UNKNOWN ||
	    (first_in_leaf && current->last_end < item->offset))
		r = find_last_end(sender, item->offset - 1);
	if (r == 0 && current->last_end < item->offset)
		r = send_hole(sender, item->offset);
	if (r == 0)
		current->last_end = extent_item_end(item);
	return r;
}

int send_hole_at_end(struct sender *sender)
{
	struct current_inode *current = &sender->current;
	int r = 0;

	if (!sends_holes(sender))
		return 0;
	if (current->last_end == LAST_END_UNKNOWN || current->last_end < current->size)
		r = find_last_end(sender, UINT64_MAX);
	if (r == 0 && current->last_end < current->size)
		r = send_hole(sender, current->size);
	return r;
}

/* True if @name is the beginning of @whole, or all of it. */
static bool is_start_of(struct span name, const char *whole)
{
	return name.len <= strlen(whole) && memcmp(whole, name.data, name.len) == 0;
}

static int put_xattr(struct sender *sender, struct span name, struct span value)
{
	struct command command = { .type = CMD_SET_XATTR, .xattr = { name, value } };

	return emit_for_current(sender, &command);
}

static int send_xattr_change(void *user, struct span name, const struct span *value)
{
	static const uint8_t empty_acl[4] = { 2, 0, 0, 0 };
	struct command removal = { .type = CMD_REMOVE_XATTR, .xattr = { .name = name } };
	struct sender *sender = user;

	if (!value)
		return emit_for_current(sender, &removal);
	if (is_start_of(name, CAPABILITY))
		return 0; /* sent at the end of the inode; see docs/quirks.md */
	if (value->len == 0 && (is_start_of(name, XATTR_NAME_POSIX_ACL_ACCESS) ||
				is_start_of(name, XATTR_NAME_POSIX_ACL_DEFAULT)))
		return put_xattr(sender, name, span_of(empty_acl, sizeof(empty_acl)));
	return put_xattr(sender, name, *value);
}

int send_xattrs(struct sender *sender, const struct tree_event *event)
{
	return xattr_diff(event, send_xattr_change, sender);
}

int send_capability(struct sender *sender)
{
	struct span value;
	int r = inode_reader_xattr(sender->standing.new, sender->standing.current.ino,
				   span_str(CAPABILITY), &value);

	if (r)
		return r == -ENOENT ? 0 : r;
	return put_xattr(sender, span_str(CAPABILITY), value);
}

typedef int (*contents_fn)(struct sender *sender, const struct tree_event *event);

/* Calls @send for all items of @type of the current inode, as if new. */
static int send_all(struct sender *sender, uint8_t type, contents_fn send)
{
	const uint64_t ino = sender->standing.current.ino;
	const struct key first = KEY(ino, type, 0);
	g_autoptr(TreeCursor) cursor = tree_cursor_new(
		inode_reader_tree(sender->standing.new), TREE_READAHEAD_FORWARD);
	int r;

	if (!cursor)
		return -ENOMEM;
	for (r = tree_cursor_seek(cursor, &first); r == 0; r = tree_cursor_next(cursor)) {
		const struct tree_event event = {
			.change = TREE_ADDED,
			.key = tree_cursor_key(cursor),
			.new_item = tree_cursor_item(cursor),
			.first_in_leaf = tree_cursor_slot(cursor) == 0,
			.leaf_logical = tree_cursor_leaf(cursor)->logical,
			.leaf_owner = tree_cursor_leaf(cursor)->owner,
		};

		if (event.key.objectid != ino || event.key.type != type)
			return 0;
		r = send(sender, &event);
		if (r)
			return r;
	}
	return r == -ENOENT ? 0 : r;
}

int send_all_contents(struct sender *sender)
{
	int r = send_all(sender, BTRFS_EXTENT_DATA_KEY, send_extent);

	return r ? r : send_all(sender, BTRFS_XATTR_ITEM_KEY, send_xattrs);
}
