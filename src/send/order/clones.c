#include "send/order/clones.h"
#include "btrfs/backref/backrefs.h"
#include "send/order/leaf_cache.h"
#include <errno.h>

#define MOST_EXTENT_REFS 1024u /* part of the format */
#define MOST_ROOT_SETS 256u

#define BACKREF_MEMORY (64u << 20)

/* What the search has found for a root so far. */
struct best {
	bool found;
	uint64_t ino, offset, len;
};

/* A leaf in the order of section 12.3, and its candidates. */
struct leaf_entry {
	uint64_t leaf;
	uint32_t leaf_index;
	uint32_t first, last; /* users, NO_CANDIDATE if there is none */
};

#define NO_CANDIDATE UINT32_MAX

struct Clones {
	Backrefs *backrefs;
	GArray *roots; /* struct clone_root, ascending by id */
	GPtrArray *own_readers;
	struct send_root own;
	/* Section 12.5.  One for all variants, the first, until a search might end
	 * differently. */
	struct leaf_cache *leaves[HOLE_WAYS];
	GArray *root_sets; /* struct leaf_roots, each once */

	/* The search at hand. */
	const struct clone_wanted *wanted;
	enum hole_way way;
	uint64_t wanted_len;
	struct best *best; /* one a root */
	const struct extent_users *users;
	struct leaf_entry *entries;
	uint32_t n_entries;
	uint32_t *next;	    /* by user: the next candidate in its leaf */
	uint32_t *entry_of; /* by leaf_index: number of its entry + 1, or 0 */
	uint32_t room_for_leaves, room_for_users;
	GArray *leaf_roots; /* uint32_t: of the leaf at hand, if they were looked for */
};

static const struct clone_root *root_at(const Clones *clones, guint i)
{
	return &g_array_index(clones->roots, struct clone_root, i);
}

static gint by_id(gconstpointer a, gconstpointer b)
{
	const struct clone_root *x = a, *y = b;

	return x->root->tree.id < y->root->tree.id ? -1 : x->root->tree.id > y->root->tree.id;
}

static bool has_root(const Clones *clones, uint64_t id)
{
	for (guint i = 0; i < clones->roots->len; i++)
		if (root_at(clones, i)->root->tree.id == id)
			return true;
	return false;
}

static int add_sources(Clones *clones, const struct send_request *request, InodeReader *old_side)
{
	for (size_t i = 0; i < request->n_clone_sources; i++) {
		struct clone_root root = { .root = &request->clone_sources[i] };

		if (has_root(clones, root.root->tree.id))
			continue;
		if (old_side && inode_reader_tree(old_side)->id == root.root->tree.id) {
			root.reader = old_side;
		} else {
			root.reader = inode_reader_new(&root.root->tree);
			if (!root.reader)
				return -ENOMEM;
			g_ptr_array_add(clones->own_readers, root.reader);
		}
		g_array_append_val(clones->roots, root);
	}
	g_array_sort(clones->roots, by_id);
	return 0;
}

Clones *clones_new(const struct send_request *request, InodeReader *new_side,
		   InodeReader *old_side)
{
	g_autoptr(Clones) clones = g_new0(Clones, 1);
	struct clone_root own = { .reader = new_side, .is_own = true };

	clones->own = request->snapshot;
	own.root = &clones->own;
	clones->backrefs = backrefs_new(request->fs, BACKREF_MEMORY);
	clones->roots = g_array_new(FALSE, FALSE, sizeof(struct clone_root));
	clones->own_readers = g_ptr_array_new_with_free_func((GDestroyNotify)inode_reader_free);
	clones->leaves[0] = g_new(struct leaf_cache, 1);
	leaf_cache_init(clones->leaves[0]);
	clones->root_sets = g_array_new(FALSE, FALSE, sizeof(struct leaf_roots));
	clones->leaf_roots = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	g_array_append_val(clones->roots, own);
	if (add_sources(clones, request, old_side))
		return NULL;
	clones->best = g_new0(struct best, clones->roots->len);
	return g_steal_pointer(&clones);
}

void clones_free(Clones *clones)
{
	if (!clones)
		return;
	backrefs_free(clones->backrefs);
	g_array_unref(clones->roots);
	g_ptr_array_unref(clones->own_readers);
	for (unsigned way = 0; way < HOLE_WAYS; way++)
		g_free(clones->leaves[way]);
	g_array_unref(clones->root_sets);
	g_array_unref(clones->leaf_roots);
	g_free(clones->entries);
	g_free(clones->next);
	g_free(clones->entry_of);
	g_free(clones->best);
	g_free(clones);
}

/* The index of the clone root with this id, or -1. */
static int find_root(const Clones *clones, uint64_t id)
{
	guint low = 0, high = clones->roots->len;

	while (low < high) {
		const guint middle = low + (high - low) / 2;
		const uint64_t at = root_at(clones, middle)->root->tree.id;

		if (at == id)
			return (int)middle;
		if (at < id)
			low = middle + 1;
		else
			high = middle;
	}
	return -1;
}

/* Where in the user's file the wanted data begins; false if the user's item
 * does not hold its first byte. */
static bool position_in(const Clones *clones, const struct extent_user *user, uint64_t *ret)
{
	const struct file_extent *extent = &clones->wanted->item->extent;
	const uint64_t wanted = extent->compression ? 0 : extent->offset;

	*ret = user->file_offset;
	if (user->compressed)
		return true;
	if (wanted < user->extent_offset || wanted - user->extent_offset >= user->num_bytes)
		return false;
	*ret += wanted - user->extent_offset;
	return true;
}

/* Section 11.2.  True ends the search. */
static bool offer(Clones *clones, uint32_t index, const struct extent_user *user)
{
	const struct clone_wanted *wanted = clones->wanted;
	struct best *best = &clones->best[index];
	uint64_t offset;

	position_in(clones, user, &offset);
	if (root_at(clones, index)->is_own) {
		if (user->ino == wanted->ino &&
		    (offset == wanted->item->offset ||
		     offset + clones->wanted_len > wanted->next_write_offset[clones->way]))
			return false;
		if (user->ino > wanted->ino)
			return false;
	}
	best->found = true;
	if (user->num_bytes <= best->len)
		return false;
	best->ino = user->ino;
	best->offset = offset;
	best->len = user->num_bytes;
	return best->len >= clones->wanted_len;
}

static struct leaf_cache *leaves_of(const Clones *clones)
{
	return clones->leaves[clones->way] ?: clones->leaves[0];
}

static bool offer_to_cached(Clones *clones, const struct extent_user *user)
{
	const struct leaf_roots *cached = leaf_cache_get(leaves_of(clones), user->leaf);

	for (unsigned i = 0; cached && i < cached->n; i++)
		if (offer(clones, cached->roots[i], user))
			return true;
	return false;
}

/* Section 12.2 for one group of users: true ends the search. */
static bool offer_group(Clones *clones, const struct extent_users *users,
			const struct extent_user_group *group)
{
	uint64_t offset;

	for (uint32_t i = group->first; i < group->first + group->n; i++)
		if (position_in(clones, &users->users[i], &offset) &&
		    offer_to_cached(clones, &users->users[i]))
			return true;
	return false;
}

static bool is_own_reference(const Clones *clones, const struct extent_user_group *group)
{
	const struct clone_wanted *wanted = clones->wanted;

	return group->root == wanted->leaf_owner && group->ino == wanted->ino &&
	       group->offset == wanted->item->offset - wanted->item->extent.offset;
}

static void add_entry(Clones *clones, uint64_t leaf, uint32_t leaf_index)
{
	const struct leaf_entry entry = { leaf, leaf_index, NO_CANDIDATE, NO_CANDIDATE };

	if (clones->entry_of[leaf_index])
		return;
	clones->entries[clones->n_entries++] = entry;
	clones->entry_of[leaf_index] = clones->n_entries;
}

static gint entries_descending(gconstpointer a, gconstpointer b)
{
	const struct leaf_entry *x = a, *y = b;

	return x->leaf > y->leaf ? -1 : x->leaf < y->leaf;
}

/* The leaves that were added from entry @first on, in descending order. */
static void sort_entries(Clones *clones, uint32_t first)
{
	const uint32_t n = clones->n_entries - first;
	struct leaf_entry *entries = clones->entries + first;

	if (n < 2)
		return;
	qsort(entries, n, sizeof(*entries), entries_descending);
	for (uint32_t i = 0; i < n; i++)
		clones->entry_of[entries[i].leaf_index] = first + i + 1;
}

static void add_candidate(Clones *clones, const struct extent_user *user)
{
	const uint32_t number = (uint32_t)(user - clones->users->users);
	struct leaf_entry *entry = &clones->entries[clones->entry_of[user->leaf_index] - 1];

	clones->next[number] = NO_CANDIDATE;
	if (entry->first == NO_CANDIDATE)
		entry->first = number;
	else
		clones->next[entry->last] = number;
	entry->last = number;
}

/* Section 12.3 for one group: its leaves and candidates go on the list. */
static void list_keyed_group(Clones *clones, const struct extent_users *users,
			     const struct extent_user_group *group)
{
	const struct extent_user *first = &users->users[group->first];
	const uint32_t n_entries = clones->n_entries;
	uint64_t offset;

	for (uint32_t i = 0; i < group->n; i++)
		if (position_in(clones, &first[i], &offset))
			add_entry(clones, first[i].leaf, first[i].leaf_index);
	sort_entries(clones, n_entries);
	for (uint32_t i = 0; i < group->n; i++)
		if (position_in(clones, &first[i], &offset))
			add_candidate(clones, &first[i]);
}

static void list_shared_leaf(Clones *clones, const struct extent_users *users,
			     const struct extent_user_group *group)
{
	uint64_t offset;

	add_entry(clones, group->leaf, group->leaf_index);
	for (uint32_t i = group->first + group->n; i-- > group->first;)
		if (position_in(clones, &users->users[i], &offset))
			add_candidate(clones, &users->users[i]);
}

/* The number of a set of roots, from 1; 0: there are too many. */
static uint32_t intern_roots(Clones *clones, const struct leaf_roots *roots)
{
	guint i = clones->root_sets->len;

	while (i > 0 && memcmp(&g_array_index(clones->root_sets, struct leaf_roots, i - 1), roots,
			       sizeof(*roots)) != 0)
		i--;
	if (i > 0 || clones->root_sets->len == MOST_ROOT_SETS)
		return i;
	g_array_append_vals(clones->root_sets, roots, 1);
	return clones->root_sets->len;
}

/* The clone roots that reach a leaf, to clones->leaf_roots.  @tag remembers them
 * with the extent: most leaves are reached by the same few. */
static int find_leaf_roots(Clones *clones, uint64_t leaf, uint32_t *tag)
{
	GArray *roots = clones->leaf_roots;
	struct leaf_roots set = { 0 };
	GArray *ids;
	int r;

	g_array_set_size(roots, 0);
	if (*tag) {
		set = g_array_index(clones->root_sets, struct leaf_roots, *tag - 1);
		g_array_append_vals(roots, set.roots, set.n);
		return 0;
	}
	r = backrefs_roots(clones->backrefs, leaf, MOST_EXTENT_REFS, &ids);
	if (r)
		return r;
	for (guint i = 0; i < ids->len; i++) {
		const int index = find_root(clones, g_array_index(ids, uint64_t, i));

		if (index >= 0)
			g_array_append_vals(roots, &(uint32_t){ (uint32_t)index }, 1);
	}
	if (roots->len > LEAF_CACHE_ROOTS)
		return 0;
	set.n = roots->len;
	if (set.n)
		memcpy(set.roots, roots->data, set.n * sizeof(uint32_t));
	*tag = intern_roots(clones, &set);
	return 0;
}

static bool offer_candidates(Clones *clones, const struct leaf_entry *entry, uint32_t root)
{
	for (uint32_t at = entry->first; at != NO_CANDIDATE; at = clones->next[at])
		if (offer(clones, root, &clones->users->users[at]))
			return true;
	return false;
}

/* Section 12.4 for one leaf: 1 ends the search. */
static int offer_leaf(Clones *clones, const struct extent_users *users,
		      const struct leaf_entry *entry)
{
	const struct leaf_roots *cached = leaf_cache_get(leaves_of(clones), entry->leaf);
	const uint32_t *roots = cached ? cached->roots : NULL;
	uint32_t n = cached ? cached->n : 0;

	if (!cached) {
		int r = find_leaf_roots(clones, entry->leaf, &users->leaf_tags[entry->leaf_index]);

		if (r)
			return r;
		n = clones->leaf_roots->len;
		roots = (const uint32_t *)(const void *)clones->leaf_roots->data;
		if (n <= LEAF_CACHE_ROOTS)
			leaf_cache_put(leaves_of(clones), entry->leaf, roots, n);
	}
	for (uint32_t i = 0; i < n; i++)
		if (offer_candidates(clones, entry, roots[i]))
			return 1;
	return 0;
}

static int search(Clones *clones, const struct extent_users *users)
{
	const bool skips_own = clones->roots->len == 1;
	int r = 0;

	for (uint32_t i = 0; i < users->n_keyed; i++)
		if (!(skips_own && is_own_reference(clones, &users->groups[i])) &&
		    offer_group(clones, users, &users->groups[i]))
			return 0;
	for (uint32_t i = 0; i < users->n_keyed; i++)
		if (!(skips_own && is_own_reference(clones, &users->groups[i])))
			list_keyed_group(clones, users, &users->groups[i]);
	for (uint32_t i = users->n_keyed; i < users->n_groups; i++) {
		if (offer_group(clones, users, &users->groups[i]))
			return 0;
		list_shared_leaf(clones, users, &users->groups[i]);
	}
	for (uint32_t i = 0; r == 0 && i < clones->n_entries; i++)
		r = offer_leaf(clones, users, &clones->entries[i]);
	return MIN(r, 0);
}

/* For all that this extent can have on the list. */
static int make_room(Clones *clones, const struct extent_users *users)
{
	if (users->n_leaves > clones->room_for_leaves) {
		g_free(clones->entries);
		g_free(clones->entry_of);
		clones->room_for_leaves = users->n_leaves;
		clones->entries = g_try_new(struct leaf_entry, users->n_leaves);
		clones->entry_of = g_try_new(uint32_t, users->n_leaves);
	}
	if (users->n_users > clones->room_for_users) {
		g_free(clones->next);
		clones->room_for_users = users->n_users;
		clones->next = g_try_new(uint32_t, users->n_users);
	}
	if ((users->n_leaves && (!clones->entries || !clones->entry_of)) ||
	    (users->n_users && !clones->next))
		return -ENOMEM;
	return 0;
}

static void begin_search(Clones *clones, const struct clone_wanted *wanted,
			 const struct extent_users *users)
{
	const uint64_t num_bytes = wanted->item->extent.num_bytes;
	const uint64_t left = wanted->size - wanted->item->offset;

	clones->wanted = wanted;
	clones->wanted_len = MIN(num_bytes, left);
	memset(clones->best, 0, clones->roots->len * sizeof(*clones->best));
	clones->users = users;
	clones->n_entries = 0;
	if (users->n_leaves)
		memset(clones->entry_of, 0, users->n_leaves * sizeof(*clones->entry_of));
}

/* The first root, in ascending order, with the most bytes. */
static int choose(const Clones *clones, struct clone_source *ret)
{
	const struct best *chosen = NULL;

	for (guint i = 0; i < clones->roots->len; i++) {
		const struct best *best = &clones->best[i];

		if (!best->found || (chosen && best->len <= chosen->len))
			continue;
		chosen = best;
		*ret = (struct clone_source){ root_at(clones, i), best->ino, best->offset };
		if (best->len >= clones->wanted_len)
			break;
	}
	return chosen != NULL;
}

/* 1 and *ret if the item's data can have a source at all; 0 if not. */
static int find_users(Clones *clones, const struct clone_wanted *wanted,
		      const struct extent_users **ret)
{
	const struct file_extent *extent = &wanted->item->extent;
	int r;

	if (wanted->item->offset >= wanted->size || extent->disk_bytenr == 0 ||
	    extent->type == BTRFS_FILE_EXTENT_INLINE)
		return 0;
	r = backrefs_users(clones->backrefs, extent->disk_bytenr, MOST_EXTENT_REFS, ret);
	if (r)
		return r;
	return (*ret)->refs <= MOST_EXTENT_REFS && !((*ret)->refs == 1 && clones->roots->len == 1);
}

/* From now on each way has leaves of its own. */
static void part_leaves(Clones *clones)
{
	clones->leaves[1] = g_memdup2(clones->leaves[0], sizeof(*clones->leaves[0]));
}

/* Might it depend on what is written already whether a user is a source? */
static bool may_differ(Clones *clones, const struct clone_wanted *wanted,
		       const struct extent_users *users)
{
	uint64_t offset;

	clones->wanted = wanted;
	for (uint32_t i = 0; i < users->n_users; i++)
		if (users->users[i].ino == wanted->ino &&
		    position_in(clones, &users->users[i], &offset) &&
		    offset != wanted->item->offset)
			return true;
	return false;
}

int clones_alike(Clones *clones, const struct clone_wanted *wanted)
{
	const struct extent_users *users;
	int r;

	if (clones->leaves[1])
		return 0;
	if (wanted->next_write_offset[HOLES_WRITTEN] == wanted->next_write_offset[HOLES_NAMED])
		return 1;
	r = find_users(clones, wanted, &users);
	if (r < 0)
		return r;
	if (r == 0 || !may_differ(clones, wanted, users))
		return 1;
	part_leaves(clones);
	return 0;
}

int clones_find(Clones *clones, const struct clone_wanted *wanted, enum hole_way way,
		struct clone_source *ret)
{
	const struct extent_users *users;
	int r = find_users(clones, wanted, &users);

	if (r > 0)
		r = make_room(clones, users) ?: 1;
	if (r <= 0)
		return r;
	begin_search(clones, wanted, users);
	clones->way = way;
	r = search(clones, users);
	return r ? r : choose(clones, ret);
}
