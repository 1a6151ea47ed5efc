#include "send/order/place.h"
#include "send/order/delay.h"
#include "send/order/emit.h"
#include "send/order/overwrite.h"
#include <sys/stat.h>

/* One run of section 7. */
struct placing {
	struct path where; /* a path that names the current inode */
	bool orphan;	   /* it is its orphan name */
	bool directory_orphanised, ancestor_orphanised;
	bool delayed;
	GArray *check; /* struct inode_id, each once */
};

static bool is_directory(const struct sender *sender)
{
	return S_ISDIR(sender->current.mode);
}

bool is_created_ahead(const struct sender *sender, uint64_t dir)
{
	return g_hash_table_size(sender->created) > 0 &&
	       g_hash_table_contains(sender->created, &dir);
}

static int orphan_path(struct sender *sender, struct inode_id id, struct path *ret)
{
	struct name name;
	int r = paths_orphan_name(sender->paths, id, &name);

	ret->len = 0;
	return r ? r : path_append(ret, name_span(&name));
}

/* 7.1 */
static int find_where(struct sender *sender, struct placing *placing)
{
	const struct inode_id current = sender->standing.current;
	int r = 1;

	if (!sender->current.is_new)
		r = did_overwrite_first_ref(&sender->standing, current);
	if (r < 0)
		return r;
	placing->orphan = r;
	if (placing->orphan)
		return orphan_path(sender, current, &placing->where);
	return current_path(sender, &placing->where);
}

/* The current inode is at @to now. */
static int rename_current(struct sender *sender, struct placing *placing, const struct path *to)
{
	int r = emit_two_paths(sender, CMD_RENAME, path_span(&placing->where), path_span(to));

	if (r)
		return r;
	path_copy(&placing->where, to);
	paths_memo_set(sender->paths, to);
	return 0;
}

/* 1 if the reference is the inode's first one in the old snapshot; the
 * directory's generation is not compared. */
static int is_first_ref(struct sender *sender, uint64_t ino, const struct ref *ref)
{
	struct reference first;
	int r = inode_reader_first_ref(sender->standing.old, ino, &first);

	return r ? r : first.dir == ref->dir.ino && span_equal(name_span(&first.name), ref->name);
}

static int orphanise_victim(struct sender *sender, struct placing *placing,
			    const struct victim *victim, const struct ref *ref)
{
	struct waiting_move *waiting;
	struct path to;
	int r;

	r = orphan_path(sender, victim->id, &to);
	if (r == 0)
		r = emit_two_paths(sender, CMD_RENAME, ref->path, path_span(&to));
	if (r)
		return r;
	if (S_ISDIR(victim->mode))
		placing->directory_orphanised = true;
	waiting = moves_waiting(sender->moves, victim->id.ino);
	if (waiting)
		waiting->orphanised = true;
	paths_forget(sender->paths, victim->id);
	r = is_ancestor(sender, victim->id, sender->standing.current.ino);
	if (r <= 0)
		return r;
	placing->ancestor_orphanised = true;
	paths_memo_empty(sender->paths);
	return current_path(sender, &placing->where);
}

/* 7.2, for one new reference */
static int clear_the_way(struct sender *sender, struct placing *placing, struct ref *ref)
{
	enum inode_state state;
	struct victim victim;
	int first;
	int r = inode_state(&sender->standing, ref->dir, &state, NULL);

	if (r || state == STATE_WILL_CREATE)
		return r;
	r = will_overwrite(&sender->standing, sender->moves, ref->dir, ref->name, &victim);
	if (r <= 0)
		return r;
	first = is_first_ref(sender, victim.id.ino, ref);
	if (first < 0)
		return first;
	if (placing->directory_orphanised) {
		r = ref_set_recompute(sender->refs, ref);
		if (r)
			return r;
	}
	if (first)
		return orphanise_victim(sender, placing, &victim, ref);
	return emit_path(sender, CMD_UNLINK, ref->path);
}

static void check_later(struct placing *placing, struct inode_id dir)
{
	for (guint i = 0; i < placing->check->len; i++)
		if (inode_id_equal(g_array_index(placing->check, struct inode_id, i), dir))
			return;
	g_array_append_val(placing->check, dir);
}

/* 7.3 step 1: a directory with a higher number may have to be made early. */
static int create_directory_ahead(struct sender *sender, const struct ref *ref)
{
	enum inode_state state;
	int r = inode_state(&sender->standing, ref->dir, &state, NULL);

	if (r || state != STATE_WILL_CREATE || is_created_ahead(sender, ref->dir.ino))
		return r;
	r = emit_create(sender, ref->dir.ino);
	if (r == 0)
		g_hash_table_add(sender->created, g_memdup2(&ref->dir.ino, sizeof(ref->dir.ino)));
	return r;
}

/* 7.3 steps 2 and 3 */
static int delay_if_needed(struct sender *sender, struct placing *placing, const struct ref *ref)
{
	int r;

	if (!is_directory(sender) || !sender->standing.old)
		return 0;
	r = delay_for_name(sender, ref, placing->orphan);
	if (r == 1)
		placing->delayed = true;
	if (r >= 0 && !placing->delayed) {
		r = delay_for_ancestor(sender, ref, placing->orphan);
		if (r == 1)
			placing->delayed = true;
	}
	return MIN(r, 0);
}

/* 7.3, for one new reference */
static int place_new(struct sender *sender, struct placing *placing, struct ref *ref)
{
	int r = create_directory_ahead(sender, ref);

	if (r == 0)
		r = delay_if_needed(sender, placing, ref);
	if (r)
		return r;
	if (placing->delayed) {
		/* it stays where it is for now */
	} else if (placing->orphan || is_directory(sender)) {
		struct path to = { 0 };

		r = path_append(&to, ref->path);
		if (r == 0)
			r = rename_current(sender, placing, &to);
		placing->orphan = false;
	} else {
		if (placing->directory_orphanised)
			r = ref_set_recompute(sender->refs, ref);
		if (r == 0)
			r = emit_two_paths(sender, CMD_LINK, ref->path,
					   path_span(&placing->where));
	}
	check_later(placing, ref->dir);
	return r;
}

/* 7.4 */
static int remove_directory(struct sender *sender, struct placing *placing)
{
	const struct inode_id current = sender->standing.current;
	struct path to;
	int r = can_remove_directory(sender, current);

	if (r < 0)
		return r;
	if (r)
		return emit_path(sender, CMD_RMDIR, path_span(&placing->where));
	if (placing->orphan)
		return 0;
	placing->orphan = true;
	r = orphan_path(sender, current, &to);
	return r ? r : rename_current(sender, placing, &to);
}

/* 7.6, for one deleted reference */
static int unlink_name(struct sender *sender, struct placing *placing, struct ref *ref)
{
	int r = did_overwrite(&sender->standing, ref->dir, ref->name, sender->standing.current);

	if (r)
		return MIN(r, 0);
	if (placing->ancestor_orphanised)
		r = ref_set_recompute(sender->refs, ref);
	if (r == 0)
		r = emit_path(sender, CMD_UNLINK, ref->path);
	/* A plain comparison of strings: "d/b" is emptied by "d/bb", too. */
	if (r == 0)
		paths_memo_empty_if_start_of(sender->paths, ref->path);
	return r;
}

/* 7.4 to 7.6 */
static int leave_old_names(struct sender *sender, struct placing *placing)
{
	struct ref *ref = ref_set_first_deleted(sender->refs);
	int r = 0;

	if (is_directory(sender)) {
		if (sender->current.deleted)
			r = remove_directory(sender, placing);
		for (; r == 0 && ref; ref = ref->next) {
			check_later(placing, ref->dir);
			if (!sender->current.deleted)
				break;
		}
		return r;
	}
	for (; r == 0 && ref; ref = ref->next) {
		r = unlink_name(sender, placing, ref);
		check_later(placing, ref->dir);
	}
	if (r == 0 && placing->orphan)
		r = emit_path(sender, CMD_UNLINK, path_span(&placing->where));
	return r;
}

/* 7.7, for one directory */
static int check_directory(struct sender *sender, struct inode_id dir)
{
	enum inode_state state;
	struct path path;
	int r;

	if (dir.ino > sender->standing.current.ino)
		return 0;
	r = inode_state(&sender->standing, dir, &state, NULL);
	if (r)
		return r;
	if (state == STATE_DID_CREATE || state == STATE_UNCHANGED)
		dir_times_enter(sender->times, dir);
	if (state != STATE_DID_DELETE)
		return 0;
	r = can_remove_directory(sender, dir);
	if (r <= 0)
		return r;
	r = paths_current(sender->paths, dir, &path);
	return r ? r : emit_path(sender, CMD_RMDIR, path_span(&path));
}

static int place_all(struct sender *sender, struct placing *placing)
{
	struct ref *ref;
	int r = find_where(sender, placing);

	for (ref = ref_set_first_new(sender->refs); r == 0 && ref; ref = ref->next)
		r = clear_the_way(sender, placing, ref);
	for (ref = ref_set_first_new(sender->refs); r == 0 && ref; ref = ref->next)
		r = place_new(sender, placing, ref);
	if (r == 0)
		r = leave_old_names(sender, placing);
	for (guint i = 0; r == 0 && i < placing->check->len; i++)
		r = check_directory(sender, g_array_index(placing->check, struct inode_id, i));
	return r;
}

int place_references(struct sender *sender, bool *ret_delayed)
{
	g_autoptr(GArray) check = g_array_new(FALSE, FALSE, sizeof(struct inode_id));
	struct placing placing = { .check = check };
	int r = place_all(sender, &placing);

	ref_set_clear(sender->refs);
	*ret_delayed = placing.delayed;
	return r;
}
