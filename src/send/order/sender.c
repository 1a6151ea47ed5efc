#include "send/order/sender.h"
#include "compare/inode_diff.h"
#include "send/order/contents.h"
#include "send/order/emit.h"
#include "send/order/finish.h"
#include "send/order/place.h"
#include <sys/stat.h>

static int put_begin(const struct send_request *request, const struct command_sink *sink)
{
	const struct root_item *item = &request->snapshot.item;
	struct command command = {
		.type = CMD_SUBVOL,
		.path = request->name,
		.subvol = { .uuid = announced_uuid(item), .ctransid = item->ctransid },
	};

	if (request->parent) {
		command.type = CMD_SNAPSHOT;
		command.subvol.parent_uuid = announced_uuid(&request->parent->item);
		command.subvol.parent_ctransid = request->parent->item.ctransid;
	}
	return command_put(sink, &command);
}

/* ---- references of the current inode ---- */

struct recording {
	struct sender *sender;
	bool is_new;
};

static int record_reference(void *user, uint64_t dir, struct span name)
{
	const struct recording *recording = user;
	struct sender *sender = recording->sender;
	InodeReader *side = recording->is_new ? sender->standing.new : sender->standing.old;
	struct inode_id id = { .ino = dir };
	int r = inode_reader_generation(side, dir, &id.gen);

	return r ? r : ref_set_record(sender->refs, recording->is_new, id, name);
}

static int record_references(struct sender *sender, const struct tree_event *event)
{
	struct recording got = { sender, true }, lost = { sender, false };
	int r = 0;

	if (event->change != TREE_REMOVED)
		r = inode_refs_in_item(&event->key, event->new_item, record_reference, &got);
	if (r == 0 && event->change != TREE_ADDED)
		r = inode_refs_in_item(&event->key, event->old_item, record_reference, &lost);
	return r;
}

static int place_all_references(struct sender *sender, bool is_new)
{
	struct recording recording = { sender, is_new };
	InodeReader *side = is_new ? sender->standing.new : sender->standing.old;
	bool delayed;
	int r = inode_reader_refs(side, sender->standing.current.ino, record_reference, &recording);

	return r ? r : place_references(sender, &delayed);
}

/* ---- the life of an inode: section 3 ---- */

static void become(struct sender *sender, const struct inode_item *item, bool is_new, bool deleted)
{
	sender->standing.current.gen = item->generation;
	sender->current.is_new = is_new;
	sender->current.deleted = deleted;
	sender->current.mode = item->mode;
	sender->current.size = item->size;
}

static int create_if_needed(struct sender *sender)
{
	const uint64_t ino = sender->standing.current.ino;

	if (S_ISDIR(sender->current.mode) && is_created_ahead(sender, ino)) {
		g_hash_table_remove(sender->created, &ino);
		return 0;
	}
	return emit_create(sender, ino);
}

static int replace_inode(struct sender *sender, const struct inode_change *inode)
{
	int r = 0;

	sender->current.replaced = true;
	if (inode->had_links) {
		become(sender, &inode->old_item, false, true);
		r = place_all_references(sender, false);
	}
	if (r || !inode->has_links)
		return r;
	become(sender, &inode->new_item, true, false);
	r = create_if_needed(sender);
	if (r == 0)
		r = place_all_references(sender, true);
	if (r)
		return r;
	sender->standing.frontier = inode->ino + 1;
	return send_all_contents(sender);
}

static int start_inode(struct sender *sender, const struct inode_change *inode)
{
	sender->standing.current.ino = inode->ino;
	sender->standing.frontier = inode->ino;
	sender->current = (struct current_inode){ .last_end = LAST_END_UNKNOWN };
	paths_memo_empty(sender->paths);
	switch (inode->fate) {
	case INODE_IGNORED:
		sender->current.ignored = true;
		return 0;
	case INODE_NEW:
		become(sender, &inode->new_item, true, false);
		return inode->ino == BTRFS_FIRST_FREE_OBJECTID ? 0 : create_if_needed(sender);
	case INODE_CHANGED:
		become(sender, &inode->new_item, false, false);
		return 0;
	case INODE_DELETED:
		become(sender, &inode->old_item, false, true);
		return 0;
	case INODE_REPLACED:
		return replace_inode(sender, inode);
	}
	return -EUCLEAN;
}

/* 3.3; @next: the key of the event that makes the boundary, NULL at the end. */
static int cross_boundary(struct sender *sender, const struct key *next)
{
	const uint64_t ino = sender->standing.current.ino;
	const bool leaves = !next || next->objectid != ino;
	int r = 0;

	if (sender->current.ignored)
		return 0;
	if (ino && !ref_set_is_empty(sender->refs) &&
	    (leaves || next->type > BTRFS_INODE_EXTREF_KEY)) {
		bool delayed;

		r = place_references(sender, &delayed);
		if (r == 0 && !delayed)
			sender->standing.frontier = ino + 1;
	}
	if (r == 0 && ino && !sender->current.deleted && leaves)
		r = finish_inode(sender);
	return r ? r : trim_dir_times(sender);
}

/* ---- events: section 2 ---- */

static int handle_reference(struct sender *sender, const struct tree_event *event)
{
	if (event->key.objectid != sender->standing.current.ino)
		return -EIO;
	if (sender->current.replaced || event->key.objectid == BTRFS_FIRST_FREE_OBJECTID)
		return 0;
	return record_references(sender, event);
}

static int handle_contents(struct sender *sender, const struct tree_event *event)
{
	const bool is_current = event->key.objectid == sender->standing.current.ino;

	if (event->key.type == BTRFS_XATTR_ITEM_KEY && !is_current)
		return -EIO;
	if (!is_current || sender->current.replaced || sender->current.deleted)
		return 0;
	if (event->key.type == BTRFS_XATTR_ITEM_KEY)
		return send_xattrs(sender, event);
	return event->change == TREE_REMOVED ? 0 : send_extent(sender, event);
}

static int handle_same_extent(struct sender *sender, const struct tree_event *event)
{
	struct extent_item item = { .offset = event->key.offset };
	int r;

	if (event->key.objectid != sender->standing.current.ino || sender->current.ignored)
		return 0;
	r = file_extent_parse(event->new_item, &item.extent);
	return r ? r : send_hole_before(sender, &item, event->first_in_leaf);
}

static int handle_event(struct sender *sender, const struct inode_event *event)
{
	const struct key *key = &event->item.key;
	int r;

	if (event->item.change == TREE_SAME)
		return handle_same_extent(sender, &event->item);
	r = cross_boundary(sender, key);
	if (r || key->objectid == BTRFS_FREE_INO_OBJECTID ||
	    key->objectid == BTRFS_FREE_SPACE_OBJECTID)
		return r;
	if (event->starts_inode)
		return start_inode(sender, &event->inode);
	if (sender->current.ignored)
		return 0;
	switch (key->type) {
	case BTRFS_INODE_REF_KEY:
	case BTRFS_INODE_EXTREF_KEY:
		return handle_reference(sender, &event->item);
	case BTRFS_XATTR_ITEM_KEY:
	case BTRFS_EXTENT_DATA_KEY:
		return handle_contents(sender, &event->item);
	default:
		return 0;
	}
}

static int send_everything(struct sender *sender, InodeDiff *diff, const atomic_bool *cancelled)
{
	struct inode_event event;
	int more, r = 0;

	while (r == 0 && (more = inode_diff_next(diff, &event)) > 0) {
		if (cancelled && atomic_load_explicit(cancelled, memory_order_relaxed))
			return -ECANCELED;
		r = handle_event(sender, &event);
	}
	if (r)
		return r;
	if (more < 0)
		return more;
	r = cross_boundary(sender, NULL);
	if (r == 0)
		r = flush_dir_times(sender);
	return r ? r : emit_path(sender, CMD_END, (struct span){ 0 });
}

int sender_run(const struct send_request *request, const struct command_sink *sink)
{
	g_autoptr(InodeDiff) diff = inode_diff_new(
		&request->snapshot.tree, request->parent ? &request->parent->tree : NULL);
	struct sender sender = { .sink = sink };
	int r;

	if (!diff)
		return -ENOMEM;
	sender.standing.new = inode_diff_new_side(diff);
	sender.standing.old = inode_diff_old_side(diff);
	sender.moves = moves_new();
	sender.paths = paths_new(&sender.standing, sender.moves);
	sender.refs = ref_set_new(sender.paths);
	sender.times = dir_times_new();
	sender.clones = clones_new(request, sender.standing.new, sender.standing.old);
	sender.created = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);

	r = sender.clones ? put_begin(request, sink) : -ENOMEM;
	if (r == 0)
		r = send_everything(&sender, diff, request->cancelled);

	g_hash_table_unref(sender.created);
	clones_free(sender.clones);
	dir_times_free(sender.times);
	ref_set_free(sender.refs);
	paths_free(sender.paths);
	moves_free(sender.moves);
	return r;
}
