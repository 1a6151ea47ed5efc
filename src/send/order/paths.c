#include "send/order/paths.h"
#include "base/lru.h"
#include "send/order/overwrite.h"

/* A format fact in the kernel; here only a size. */
#define NAMES_KEPT 1024u

/*
 * A command that only protocol 2 has asks for the path of the current inode
 * where protocol 1 does not, and so may remember another one.
 */
#define N_MEMOS 2u
static const unsigned memo_variants[N_MEMOS] = { VARIANTS_PROTOCOL_1, VARIANTS_PROTOCOL_2 };

struct known_name {
	struct name name;
	struct inode_id parent;
	bool ends;	   /* an orphan name: the path ends here */
	bool before_turn; /* made before the frontier had passed the inode */
};

struct Paths {
	const struct standing *standing;
	const Moves *moves;
	Lru *names;
	struct path memos[N_MEMOS]; /* of protocol 1 and of protocol 2 */
	struct inode_id orphan; /* whose orphan name was asked for last */
	struct name orphan_name;
};

int path_append(struct path *path, struct span name)
{
	const size_t slash = path->len > 0;

	if (path->len + slash + name.len > PATH_MOST)
		return -ENAMETOOLONG;
	if (slash)
		path->bytes[path->len++] = '/';
	memcpy(path->bytes + path->len, name.data, name.len);
	path->len += (uint32_t)name.len;
	return 0;
}

Paths *paths_new(const struct standing *standing, const Moves *moves)
{
	Paths *paths = g_new0(Paths, 1);

	paths->standing = standing;
	paths->moves = moves;
	paths->names = lru_new(NAMES_KEPT, g_free);
	return paths;
}

void paths_free(Paths *paths)
{
	if (!paths)
		return;
	lru_free(paths->names);
	g_free(paths);
}

/* 1 if the root directory of @side has the entry, 0 if not. */
static int has_root_entry(InodeReader *side, struct span name)
{
	struct key location;
	int r;

	if (!side)
		return 0;
	r = inode_reader_lookup(side, BTRFS_FIRST_FREE_OBJECTID, name, &location);
	return r == 0 ? 1 : (r == -ENOENT ? 0 : r);
}

int paths_orphan_name(Paths *paths, struct inode_id id, struct name *ret)
{
	if (!inode_id_equal(paths->orphan, id)) {
		for (uint64_t index = 0;; index++) {
			char text[80];
			int len = g_snprintf(text, sizeof(text),
					     "o%" G_GUINT64_FORMAT "-%" G_GUINT64_FORMAT
					     "-%" G_GUINT64_FORMAT,
					     id.ino, id.gen, index);
			const struct span name = span_of(text, (size_t)len);
			int taken = has_root_entry(paths->standing->new, name);

			if (taken == 0)
				taken = has_root_entry(paths->standing->old, name);
			if (taken < 0)
				return taken;
			if (taken)
				continue;
			paths->orphan_name.len = (uint8_t)len;
			memcpy(paths->orphan_name.bytes, text, name.len);
			paths->orphan = id;
			break;
		}
	}
	*ret = paths->orphan_name;
	return 0;
}

static int find_name(Paths *paths, struct inode_id id, struct known_name *ret)
{
	const struct standing *standing = paths->standing;
	InodeReader *side = id.ino < standing->frontier ? standing->new : standing->old;
	struct reference first;
	int r;

	*ret = (struct known_name){ .before_turn = id.ino >= standing->frontier };
	ret->parent.ino = BTRFS_FIRST_FREE_OBJECTID;
	r = inode_exists(standing, id, NULL);
	if (r < 0)
		return r;
	if (r == 0) {
		ret->ends = true;
		return paths_orphan_name(paths, id, &ret->name);
	}
	if (!side)
		return -ENOENT;
	r = inode_reader_first_ref(side, id.ino, &first);
	if (r)
		return r;
	ret->name = first.name;
	ret->parent.ino = first.dir;
	r = inode_reader_generation(side, first.dir, &ret->parent.gen);
	if (r)
		return r;
	r = did_overwrite(standing, ret->parent, name_span(&first.name), id);
	if (r < 0)
		return r;
	ret->ends = r;
	return r ? paths_orphan_name(paths, id, &ret->name) : 0;
}

int paths_name_and_parent(Paths *paths, struct inode_id id, struct name *ret_name,
			  struct inode_id *ret_parent)
{
	struct known_name *known = lru_get(paths->names, id.ino, id.gen);
	struct known_name found;
	int r;

	if (known && known->before_turn && id.ino < paths->standing->frontier) {
		lru_remove(paths->names, id.ino, id.gen);
		known = NULL;
	}
	if (!known) {
		r = find_name(paths, id, &found);
		if (r)
			return r;
		known = g_memdup2(&found, sizeof(found));
		lru_put(paths->names, id.ino, id.gen, known, 1);
	}
	*ret_name = known->name;
	*ret_parent = known->parent;
	return known->ends;
}

void paths_forget(Paths *paths, struct inode_id id)
{
	lru_remove(paths->names, id.ino, id.gen);
}

/* One step up: 1 if the path ends with this name. */
static int step_up(Paths *paths, struct inode_id id, struct name *ret_name,
		   struct inode_id *ret_parent)
{
	struct waiting_move *waiting;
	struct reference first;
	int r;

	waiting = moves_waiting(paths->moves, id.ino);
	if (moves_removal(paths->moves, id) || (waiting && waiting->orphanised)) {
		r = paths_orphan_name(paths, id, ret_name);
		return r ? r : 1;
	}
	if (!waiting)
		return paths_name_and_parent(paths, id, ret_name, ret_parent);
	r = inode_reader_first_ref(paths->standing->old, id.ino, &first);
	if (r)
		return r;
	*ret_name = first.name;
	ret_parent->ino = first.dir;
	return inode_reader_generation(paths->standing->old, first.dir, &ret_parent->gen);
}

/* Puts @name in front of what is at the end of @path's buffer from *start. */
static int prepend(struct path *path, uint32_t *start, struct span name)
{
	const bool slash = *start < PATH_MOST;

	if (name.len + slash > *start)
		return -ENAMETOOLONG;
	if (slash)
		path->bytes[--*start] = '/';
	*start -= (uint32_t)name.len;
	memcpy(path->bytes + *start, name.data, name.len);
	return 0;
}

static int make_path(Paths *paths, struct inode_id id, struct path *ret)
{
	uint32_t start = PATH_MOST;
	int ends = 0;

	while (!ends && id.ino != BTRFS_FIRST_FREE_OBJECTID) {
		struct inode_id parent;
		struct name name;
		int r;

		ends = step_up(paths, id, &name, &parent);
		if (ends < 0)
			return ends;
		r = prepend(ret, &start, name_span(&name));
		if (r)
			return r;
		id = parent;
	}
	ret->len = PATH_MOST - start;
	memmove(ret->bytes, ret->bytes + start, ret->len);
	return 0;
}

/* A memo of a protocol of @variants that is empty, or else any such memo. */
static struct path *memo_for(Paths *paths, unsigned variants)
{
	struct path *found = NULL;

	for (unsigned i = 0; i < N_MEMOS; i++) {
		struct path *memo = &paths->memos[i];

		if ((variants & memo_variants[i]) && (!found || memo->len == 0))
			found = memo;
	}
	return found;
}

/* Fills those of @variants that are empty; returns whose memo it is then. */
static unsigned fill_memos(Paths *paths, unsigned variants, const struct path *path)
{
	unsigned same = 0;

	for (unsigned i = 0; i < N_MEMOS; i++) {
		struct path *memo = &paths->memos[i];

		if (!(variants & memo_variants[i]))
			continue;
		if (memo->len == 0)
			path_copy(memo, path);
		if (span_equal(path_span(memo), path_span(path)))
			same |= variants & memo_variants[i];
	}
	return same;
}

int paths_current_in(Paths *paths, unsigned variants, struct inode_id id, struct path *ret,
		     unsigned *ret_variants)
{
	const struct path *memo = memo_for(paths, variants);
	int r;

	*ret_variants = variants;
	if (!inode_id_equal(id, paths->standing->current))
		return make_path(paths, id, ret);
	if (memo->len > 0) {
		path_copy(ret, memo);
	} else {
		r = make_path(paths, id, ret);
		if (r)
			return r;
	}
	*ret_variants = fill_memos(paths, variants, ret);
	return 0;
}

int paths_current(Paths *paths, struct inode_id id, struct path *ret)
{
	unsigned variants;

	return paths_current_in(paths, VARIANTS_ALL, id, ret, &variants);
}

void paths_memo_set(Paths *paths, const struct path *path)
{
	for (unsigned i = 0; i < N_MEMOS; i++)
		path_copy(&paths->memos[i], path);
}

void paths_memo_empty(Paths *paths)
{
	for (unsigned i = 0; i < N_MEMOS; i++)
		paths->memos[i].len = 0;
}

void paths_memo_empty_if_start_of(Paths *paths, struct span path)
{
	for (unsigned i = 0; i < N_MEMOS; i++) {
		struct path *memo = &paths->memos[i];

		if (path.len >= memo->len && memcmp(path.data, memo->bytes, memo->len) == 0)
			memo->len = 0;
	}
}
