#include "send/order/delay.h"
#include "send/order/emit.h"

/* No directory lies deeper; more steps than this are a loop in the tree. */
#define STEPS_MOST (1u << 20)

/* The directories of all references of the current inode, deleted ones first. */
static GArray *touched_directories(const RefSet *refs)
{
	GArray *touched = g_array_new(FALSE, FALSE, sizeof(struct inode_id));

	for (const struct ref *ref = ref_set_first_deleted(refs); ref; ref = ref->next)
		g_array_append_val(touched, ref->dir);
	for (const struct ref *ref = ref_set_first_new(refs); ref; ref = ref->next)
		g_array_append_val(touched, ref->dir);
	return touched;
}

/* 1, or an error. */
static int delay_current(struct sender *sender, uint64_t awaited, bool orphan)
{
	int r = moves_delay(sender->moves, sender->standing.current, awaited, orphan,
			    touched_directories(sender->refs));

	return r ? r : 1;
}

int delay_for_name(struct sender *sender, const struct ref *ref, bool orphan)
{
	const struct standing *standing = &sender->standing;
	const struct waiting_move *waiting;
	uint64_t old_gen, new_gen;
	struct key location;
	int r;

	if (!moves_any_waiting(sender->moves))
		return 0;
	r = inode_reader_lookup(standing->old, ref->dir.ino, ref->name, &location);
	if (r)
		return r == -ENOENT ? 0 : r;
	if (location.type != BTRFS_INODE_ITEM_KEY)
		return 0;
	r = inode_reader_generation(standing->old, location.objectid, &old_gen);
	if (r)
		return r;
	r = inode_reader_generation(standing->new, location.objectid, &new_gen);
	if (r)
		return r == -ENOENT ? 0 : r;
	waiting = moves_waiting(sender->moves, location.objectid);
	if (old_gen != new_gen || !waiting || waiting->orphanised)
		return 0;
	return delay_current(sender, location.objectid, orphan);
}

static bool same_place(const struct reference *a, const struct reference *b)
{
	return a->dir == b->dir && span_equal(name_span(&a->name), name_span(&b->name));
}

/* 1 if directory @dir must be processed before the current one, 0 if not;
 * *ret_parent: its parent in the new snapshot.  -ENOENT: the old one lacks it. */
static int moves_later(struct sender *sender, struct inode_id dir, uint64_t *ret_parent)
{
	const struct standing *standing = &sender->standing;
	struct reference after, before;
	uint64_t old_gen;
	int r;

	r = inode_reader_first_ref(standing->new, dir.ino, &after);
	if (r)
		return r == -ENOENT ? -EIO : r;
	*ret_parent = after.dir;
	r = inode_reader_first_ref(standing->old, dir.ino, &before);
	if (r)
		return r;
	if (dir.ino <= standing->current.ino || same_place(&after, &before))
		return 0;
	r = inode_reader_generation(standing->old, dir.ino, &old_gen);
	return r ? r : dir.gen == old_gen;
}

int delay_for_ancestor(struct sender *sender, const struct ref *ref, bool orphan)
{
	struct inode_id dir = ref->dir;

	for (unsigned steps = 0; dir.ino > BTRFS_FIRST_FREE_OBJECTID; steps++) {
		uint64_t parent = 0;
		int r = 0;

		if (steps == STEPS_MOST)
			return -EUCLEAN;
		if (moves_waiting(sender->moves, dir.ino))
			r = is_ancestor(sender, sender->standing.current, dir.ino);
		if (r == 0) {
			r = moves_later(sender, dir, &parent);
			if (r == -ENOENT)
				return 0;
		}
		if (r < 0)
			return r;
		if (r)
			return delay_current(sender, dir.ino, orphan);
		dir.ino = parent;
		r = inode_reader_generation(sender->standing.new, parent, &dir.gen);
		if (r)
			return r;
	}
	return 0;
}

struct ancestor_search {
	InodeReader *old;
	struct inode_id ancestor;
};

/* Follows first references upwards from @dir: the first inode met with the
 * ancestor's number decides. */
static int leads_to_ancestor(void *user, uint64_t dir, struct span name)
{
	const struct ancestor_search *search = user;
	uint64_t gen;

	(void)name;
	for (unsigned steps = 0; steps < STEPS_MOST; steps++) {
		struct reference first;
		int r;

		if (dir == search->ancestor.ino) {
			r = inode_reader_generation(search->old, dir, &gen);
			return r ? r : gen == search->ancestor.gen;
		}
		if (dir <= BTRFS_FIRST_FREE_OBJECTID)
			return 0;
		r = inode_reader_first_ref(search->old, dir, &first);
		if (r)
			return r;
		dir = first.dir;
	}
	return -EUCLEAN;
}

int is_ancestor(struct sender *sender, struct inode_id ancestor, uint64_t ino)
{
	struct ancestor_search search = { sender->standing.old, ancestor };

	return inode_reader_parents(sender->standing.old, ino, leads_to_ancestor, &search);
}

/*
 * Condition C, section 8.4 step 3: 1 if the moved directory would come to lie
 * below itself, and *ret_awaited: what it has to wait for; else 0.
 */
static int finds_loop(struct sender *sender, struct inode_id dir, uint64_t *ret_awaited)
{
	const uint64_t start = dir.ino;
	uint64_t awaited = 0;

	for (unsigned steps = 0; dir.ino != BTRFS_FIRST_FREE_OBJECTID; steps++) {
		struct inode_id parent;
		struct reference first;
		struct name name;
		int r;

		if (steps == STEPS_MOST)
			return -ENAMETOOLONG;
		if (moves_removal(sender->moves, dir))
			return 0;
		if (moves_waiting(sender->moves, dir.ino)) {
			if (awaited == 0)
				awaited = dir.ino;
			r = inode_reader_first_ref(sender->standing.old, dir.ino, &first);
			if (r)
				return r;
			parent.ino = first.dir;
			r = inode_reader_generation(sender->standing.old, first.dir, &parent.gen);
		} else {
			r = paths_name_and_parent(sender->paths, dir, &name, &parent);
			if (r > 0)
				return 0;
		}
		if (r)
			return r;
		if (parent.ino == start) {
			*ret_awaited = awaited ? awaited : dir.ino;
			return 1;
		}
		dir = parent;
	}
	return 0;
}

/* Where a waiting directory is now. */
static int old_place(struct sender *sender, struct inode_id dir, bool orphanised,
		     struct path *ret)
{
	struct inode_id parent;
	struct reference first;
	struct name name;
	int r;

	if (orphanised) {
		ret->len = 0;
		r = paths_orphan_name(sender->paths, dir, &name);
		return r ? r : path_append(ret, name_span(&name));
	}
	r = inode_reader_first_ref(sender->standing.old, dir.ino, &first);
	if (r)
		return r;
	parent.ino = first.dir;
	r = inode_reader_generation(sender->standing.old, first.dir, &parent.gen);
	if (r == 0)
		r = paths_current(sender->paths, parent, ret);
	return r ? r : path_append(ret, name_span(&first.name));
}

/* Step 5: the directory that waited for this move may be empty now. */
static int remove_after_move(struct sender *sender, struct inode_id dir)
{
	struct path path;
	int r;

	if (dir.ino == 0 || !moves_removal(sender->moves, dir))
		return 0;
	r = can_remove_directory(sender, dir);
	if (r <= 0)
		return r;
	r = paths_current(sender->paths, dir, &path);
	return r ? r : emit_path(sender, CMD_RMDIR, path_span(&path));
}

/* Step 6.  The generation is not compared (see docs/quirks.md). */
static int enter_touched(struct sender *sender, const struct pending_move *move)
{
	dir_times_enter(sender->times, move->dir);
	for (guint i = 0; i < move->touched->len; i++) {
		const struct inode_id dir = g_array_index(move->touched, struct inode_id, i);
		const struct inode_item *item;
		int r = inode_reader_item(sender->standing.new, dir.ino, &item);

		if (r == -ENOENT)
			continue;
		if (r)
			return r;
		dir_times_enter(sender->times, dir);
	}
	return 0;
}

static int make_delayed_move(struct sender *sender, struct pending_move *move)
{
	const struct waiting_move waiting = *moves_waiting(sender->moves, move->dir.ino);
	struct path from, to;
	uint64_t awaited = 0;
	int r;

	moves_stop_waiting(sender->moves, move->dir.ino);
	r = old_place(sender, move->dir, waiting.orphanised, &from);
	if (r)
		return r;
	sender->standing.frontier = sender->standing.current.ino + 1;
	r = finds_loop(sender, move->dir, &awaited);
	if (r < 0)
		return r;
	if (r) {
		r = moves_delay(sender->moves, move->dir, awaited, waiting.orphanised,
				g_array_ref(move->touched));
		if (r == 0)
			moves_waiting(sender->moves, move->dir.ino)->remove_after =
				waiting.remove_after;
		return r;
	}
	r = paths_current(sender->paths, move->dir, &to);
	if (r == 0)
		r = emit_two_paths(sender, CMD_RENAME, path_span(&from), path_span(&to));
	if (r == 0)
		r = remove_after_move(sender, waiting.remove_after);
	return r ? r : enter_touched(sender, move);
}

int make_delayed_moves(struct sender *sender)
{
	g_auto(GQueue) queue = G_QUEUE_INIT;
	int r = 0;

	moves_take(sender->moves, sender->standing.current.ino, &queue);
	while (r == 0 && !g_queue_is_empty(&queue)) {
		const uint64_t frontier = sender->standing.frontier;
		struct pending_move *move = g_queue_pop_head(&queue);
		const uint64_t ino = move->dir.ino;

		r = make_delayed_move(sender, move);
		sender->standing.frontier = frontier;
		pending_move_free(move);
		moves_take(sender->moves, ino, &queue);
	}
	while (!g_queue_is_empty(&queue))
		pending_move_free(g_queue_pop_head(&queue));
	return r;
}

/*
 * Walks the directory's entries from where the last attempt stopped.
 * 1: all have left.  *record is brought up to date.
 *
 * An entry's location counts as an inode number also where it is a
 * subvolume's id (see docs/quirks.md).
 */
static int all_have_left(struct sender *sender, struct inode_id dir, struct removal *record)
{
	struct dir_index entry;
	uint64_t from = record->resume;
	int r;

	while ((r = inode_reader_dir_index(sender->standing.old, dir.ino, from, &entry)) == 0) {
		struct waiting_move *waiting;

		record->highest = MAX(record->highest, entry.location.objectid);
		record->resume = entry.index;
		waiting = moves_waiting(sender->moves, entry.location.objectid);
		if (waiting) {
			waiting->remove_after = dir;
			return 0;
		}
		if (entry.location.objectid > sender->standing.current.ino)
			return 0;
		if (entry.index == UINT64_MAX)
			return 1;
		from = entry.index + 1;
	}
	return r == -ENOENT ? 1 : r;
}

int can_remove_directory(struct sender *sender, struct inode_id dir)
{
	struct removal *kept = moves_removal(sender->moves, dir);
	struct removal record = { 0 };
	int r = 0;

	if (dir.ino == BTRFS_FIRST_FREE_OBJECTID)
		return 0;
	if (kept) {
		record = *kept;
	} else {
		struct dir_index last;

		r = inode_reader_last_dir_index(sender->standing.old, dir.ino, &last);
		if (r)
			return r == -ENOENT ? 1 : r;
		record.highest = last.location.objectid;
	}
	if (sender->standing.current.ino >= record.highest)
		r = all_have_left(sender, dir, &record);
	if (r < 0)
		return r;
	if (r) {
		moves_drop_removal(sender->moves, dir);
		return 1;
	}
	if (!kept)
		kept = moves_add_removal(sender->moves, dir);
	*kept = record;
	return 0;
}
