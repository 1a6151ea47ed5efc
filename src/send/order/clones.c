#include "send/order/clones.h"
#include "base/lru.h"
#include "btrfs/backref/backrefs.h"

/* All three are part of the format. */
#define MOST_EXTENT_REFS 1024u
#define MOST_LEAVES_CACHED 128u
#define MOST_ROOTS_CACHED 17u

#define BACKREF_MEMORY (64u << 20)

/* What the search has found for a root so far. */
struct best {
	bool found;
	uint64_t ino, offset, len;
};

/* The clone roots that reach a leaf, as indexes. */
struct leaf_roots {
	unsigned n;
	uint32_t roots[MOST_ROOTS_CACHED];
};

/* A leaf in the order of section 12.3, and its candidates. */
struct leaf_entry {
	uint64_t leaf;
	uint32_t leaf_index;
	uint32_t first, last; /* in candidates, NO_CANDIDATE if there is none */
};

struct candidate {
	const struct extent_user *user;
	uint32_t next;
};

#define NO_CANDIDATE UINT32_MAX

struct Clones {
	Backrefs *backrefs;
	GArray *roots; /* struct clone_root, ascending by id */
	GPtrArray *own_readers;
	struct send_root own;
	/* Section 12.5: leaf -> struct leaf_roots.  One for all variants, the first,
	 * until a search might end differently. */
	Lru *leaves[HOLE_WAYS];

	/* The search at hand. */
	const struct clone_wanted *wanted;
	enum hole_way way;
	uint64_t wanted_len;
	struct best *best; /* one a root */
	GArray *entries;   /* struct leaf_entry */
	GArray *candidates;
	GArray *entry_of; /* by leaf_index: number of its entry + 1, or 0 */
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
	clones->leaves[0] = lru_new(MOST_LEAVES_CACHED, g_free);
	clones->entries = g_array_new(FALSE, FALSE, sizeof(struct leaf_entry));
	clones->candidates = g_array_new(FALSE, FALSE, sizeof(struct candidate));
	clones->entry_of = g_array_new(FALSE, TRUE, sizeof(uint32_t));
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
		lru_free(clones->leaves[way]);
	g_array_unref(clones->entries);
	g_array_unref(clones->candidates);
	g_array_unref(clones->entry_of);
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

static Lru *leaves_of(const Clones *clones)
{
	return clones->leaves[clones->way] ?: clones->leaves[0];
}

static bool offer_to_cached(Clones *clones, const struct extent_user *user)
{
	const struct leaf_roots *cached = lru_get(leaves_of(clones), user->leaf, 0);

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

static uint32_t *entry_of(Clones *clones, uint32_t leaf_index)
{
	return &g_array_index(clones->entry_of, uint32_t, leaf_index);
}

static void add_entry(Clones *clones, uint64_t leaf, uint32_t leaf_index)
{
	const struct leaf_entry entry = { leaf, leaf_index, NO_CANDIDATE, NO_CANDIDATE };

	if (*entry_of(clones, leaf_index))
		return;
	g_array_append_val(clones->entries, entry);
	*entry_of(clones, leaf_index) = clones->entries->len;
}

static gint entries_descending(gconstpointer a, gconstpointer b)
{
	const struct leaf_entry *x = a, *y = b;

	return x->leaf > y->leaf ? -1 : x->leaf < y->leaf;
}

/* The leaves that were added from entry @first on, in descending order. */
static void sort_entries(Clones *clones, guint first)
{
	const guint n = clones->entries->len - first;
	struct leaf_entry *entries = &g_array_index(clones->entries, struct leaf_entry, first);

	if (n < 2)
		return;
	qsort(entries, n, sizeof(*entries), entries_descending);
	for (guint i = 0; i < n; i++)
		*entry_of(clones, entries[i].leaf_index) = first + i + 1;
}

static void add_candidate(Clones *clones, const struct extent_user *user)
{
	const struct candidate candidate = { user, NO_CANDIDATE };
	const uint32_t number = clones->candidates->len;
	struct leaf_entry *entry = &g_array_index(clones->entries, struct leaf_entry,
						  *entry_of(clones, user->leaf_index) - 1);

	g_array_append_val(clones->candidates, candidate);
	if (entry->first == NO_CANDIDATE)
		entry->first = number;
	else
		g_array_index(clones->candidates, struct candidate, entry->last).next = number;
	entry->last = number;
}

/* Section 12.3 for one group: its leaves and candidates go on the list. */
static void list_keyed_group(Clones *clones, const struct extent_users *users,
			     const struct extent_user_group *group)
{
	const struct extent_user *first = &users->users[group->first];
	const guint n_entries = clones->entries->len;
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

/* The clone roots that reach a leaf, found and stored in the cache.  @ret has
 * room for all clone roots. */
static int find_leaf_roots(Clones *clones, uint64_t leaf, GArray *ret)
{
	struct leaf_roots *cached;
	GArray *ids;
	int r = backrefs_roots(clones->backrefs, leaf, MOST_EXTENT_REFS, &ids);

	if (r)
		return r;
	for (guint i = 0; i < ids->len; i++) {
		const int index = find_root(clones, g_array_index(ids, uint64_t, i));

		if (index >= 0)
			g_array_append_vals(ret, &(uint32_t){ (uint32_t)index }, 1);
	}
	if (ret->len > MOST_ROOTS_CACHED)
		return 0;
	cached = g_new0(struct leaf_roots, 1);
	cached->n = ret->len;
	if (ret->len)
		memcpy(cached->roots, ret->data, ret->len * sizeof(uint32_t));
	if (!lru_put(leaves_of(clones), leaf, 0, cached, 1))
		g_free(cached);
	return 0;
}

static bool offer_candidates(Clones *clones, const struct leaf_entry *entry, uint32_t root)
{
	uint32_t at = entry->first;

	while (at != NO_CANDIDATE) {
		const struct candidate *candidate =
			&g_array_index(clones->candidates, struct candidate, at);

		if (offer(clones, root, candidate->user))
			return true;
		at = candidate->next;
	}
	return false;
}

/* Section 12.4 for one leaf: 1 ends the search. */
static int offer_leaf(Clones *clones, const struct leaf_entry *entry)
{
	const struct leaf_roots *cached = lru_get(leaves_of(clones), entry->leaf, 0);
	g_autoptr(GArray) roots = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	int r = 0;

	if (cached)
		g_array_append_vals(roots, cached->roots, cached->n);
	else
		r = find_leaf_roots(clones, entry->leaf, roots);
	for (guint i = 0; r == 0 && i < roots->len; i++)
		r = offer_candidates(clones, entry, g_array_index(roots, uint32_t, i));
	return r;
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
	for (guint i = 0; r == 0 && i < clones->entries->len; i++)
		r = offer_leaf(clones, &g_array_index(clones->entries, struct leaf_entry, i));
	return MIN(r, 0);
}

static void begin_search(Clones *clones, const struct clone_wanted *wanted,
			 const struct extent_users *users)
{
	const uint64_t num_bytes = wanted->item->extent.num_bytes;
	const uint64_t left = wanted->size - wanted->item->offset;

	clones->wanted = wanted;
	clones->wanted_len = MIN(num_bytes, left);
	memset(clones->best, 0, clones->roots->len * sizeof(*clones->best));
	g_array_set_size(clones->entries, 0);
	g_array_set_size(clones->candidates, 0);
	g_array_set_size(clones->entry_of, 0);
	g_array_set_size(clones->entry_of, users->n_leaves);
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

static void copy_leaf(uint64_t leaf, uint64_t generation, void *value, void *user)
{
	const struct leaf_roots *roots = value;

	(void)generation;
	g_ptr_array_add(((void **)user)[0], g_memdup2(&leaf, sizeof(leaf)));
	g_ptr_array_add(((void **)user)[1], g_memdup2(roots, sizeof(*roots)));
}

/* From now on each way has leaves of its own. */
static void part_leaves(Clones *clones)
{
	g_autoptr(GPtrArray) keys = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GPtrArray) values = g_ptr_array_new();
	void *both[2] = { keys, values };

	lru_foreach(clones->leaves[0], copy_leaf, both);
	clones->leaves[1] = lru_new(MOST_LEAVES_CACHED, g_free);
	for (guint i = keys->len; i-- > 0;)
		lru_put(clones->leaves[1], *(uint64_t *)g_ptr_array_index(keys, i), 0,
			g_ptr_array_index(values, i), 1);
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

	if (r <= 0)
		return r;
	begin_search(clones, wanted, users);
	clones->way = way;
	r = search(clones, users);
	return r ? r : choose(clones, ret);
}
