#include "btrfs/backref/internal.h"

/* What is gathered for one extent. */
struct gathering {
	RefSources *sources;
	uint64_t logical;
	const GArray *refs; /* struct extent_ref */
	GArray *users;	    /* struct extent_user */
	GArray *groups;	    /* struct extent_user_group */
};

/* 1 and *ret if the item refers to the extent, 0 if not. */
static int match_item(const struct gathering *g, const struct key *key, struct span item,
		      struct extent_user *ret)
{
	struct file_extent extent;
	int r = file_extent_parse(item, &extent);

	if (r)
		return r;
	if (extent.type == BTRFS_FILE_EXTENT_INLINE || extent.disk_bytenr != g->logical)
		return 0;
	*ret = (struct extent_user){
		.ino = key->objectid,
		.file_offset = key->offset,
		.extent_offset = extent.offset,
		.num_bytes = extent.num_bytes,
		.compressed = extent.compression != 0,
	};
	return 1;
}

static bool is_shared_leaf(const struct gathering *g, uint64_t leaf)
{
	for (guint i = g->refs->len; i-- > 0;) {
		const struct extent_ref *ref = &g_array_index(g->refs, struct extent_ref, i);

		if (ref->kind != EXTENT_REF_SHARED_DATA)
			return false; /* those come last */
		if (ref->parent == leaf)
			return true;
	}
	return false;
}

/* Section 12.2, without the test of the position. */
static int walk_keyed(const struct gathering *g, TreeCursor *cursor, const struct extent_ref *ref)
{
	const uint64_t start = ref->offset >= INT64_MAX ? 0 : ref->offset;
	const struct key first = KEY(ref->ino, BTRFS_EXTENT_DATA_KEY, start);
	const Node *checked = NULL;
	bool foreign = false;
	uint32_t found = 0;
	int r;

	for (r = tree_cursor_seek(cursor, &first); r == 0 && found < ref->count;
	     r = tree_cursor_next(cursor)) {
		const Node *leaf = tree_cursor_leaf(cursor);
		const struct key key = tree_cursor_key(cursor);
		struct extent_user user;

		if (key.objectid != ref->ino || key.type != BTRFS_EXTENT_DATA_KEY)
			return 0;
		if (leaf != checked) {
			checked = leaf;
			foreign = leaf->owner != ref->root || is_shared_leaf(g, leaf->logical);
		}
		if (foreign)
			continue;
		r = match_item(g, &key, tree_cursor_item(cursor), &user);
		if (r < 0)
			return r;
		if (r == 0 || user.file_offset - user.extent_offset != ref->offset)
			continue;
		user.leaf = leaf->logical;
		g_array_append_val(g->users, user);
		found++;
	}
	return r == -ENOENT ? 0 : r;
}

static int walk_leaf(const struct gathering *g, uint64_t logical)
{
	g_autoptr(Node) leaf = NULL;
	int r = ref_sources_block(g->sources, logical, &leaf);

	if (r)
		return r;
	if (leaf->level != 0)
		return -EUCLEAN;
	for (unsigned slot = 0; slot < leaf->n_items; slot++) {
		const struct key key = node_key(leaf, slot);
		struct extent_user user;

		if (key.type != BTRFS_EXTENT_DATA_KEY)
			continue;
		r = match_item(g, &key, node_item(leaf, slot), &user);
		if (r < 0)
			return r;
		if (r) {
			user.leaf = logical;
			g_array_append_val(g->users, user);
		}
	}
	return 0;
}

static int gather(struct gathering *g, const struct extent_ref *ref)
{
	struct extent_user_group group = { .first = g->users->len };
	TreeCursor *cursor;
	int r;

	if (ref->kind == EXTENT_REF_SHARED_DATA) {
		group.leaf = ref->parent;
		r = walk_leaf(g, ref->parent);
	} else if (ref->kind == EXTENT_REF_KEYED_DATA) {
		group.root = ref->root;
		group.ino = ref->ino;
		group.offset = ref->offset;
		r = ref_sources_cursor(g->sources, ref->root, &cursor);
		if (r == -ENOENT)
			return 0;
		if (r == 0)
			r = walk_keyed(g, cursor, ref);
	} else {
		return -EUCLEAN;
	}
	if (r)
		return r;
	group.n = g->users->len - group.first;
	g_array_append_val(g->groups, group);
	return 0;
}

static uint32_t leaf_index(GHashTable *leaves, uint64_t *leaf)
{
	gpointer found = g_hash_table_lookup(leaves, leaf);

	if (!found) {
		found = GUINT_TO_POINTER(g_hash_table_size(leaves) + 1);
		g_hash_table_insert(leaves, leaf, found);
	}
	return GPOINTER_TO_UINT(found) - 1;
}

static void number_leaves(struct extent_users *users)
{
	g_autoptr(GHashTable) leaves = g_hash_table_new(g_int64_hash, g_int64_equal);

	for (uint32_t i = 0; i < users->n_users; i++)
		users->users[i].leaf_index = leaf_index(leaves, &users->users[i].leaf);
	for (uint32_t i = users->n_keyed; i < users->n_groups; i++)
		users->groups[i].leaf_index = leaf_index(leaves, &users->groups[i].leaf);
	users->n_leaves = g_hash_table_size(leaves);
}

/* Everything in one block of memory. */
static struct extent_users *pack(const struct gathering *g, uint64_t refs, size_t *ret_bytes)
{
	const size_t users_len = g->users->len * sizeof(struct extent_user);
	const size_t groups_len = g->groups->len * sizeof(struct extent_user_group);
	/* Tags for as many leaves as there can be. */
	const size_t tags_len = (g->users->len + g->groups->len) * sizeof(uint32_t);
	struct extent_users *packed;

	*ret_bytes = sizeof(*packed) + users_len + groups_len + tags_len;
	packed = g_try_malloc0(*ret_bytes);
	if (!packed)
		return NULL;
	packed->refs = refs;
	packed->n_users = g->users->len;
	packed->n_groups = g->groups->len;
	packed->users = (struct extent_user *)(packed + 1);
	packed->groups = (struct extent_user_group *)(packed->users + packed->n_users);
	packed->leaf_tags = (uint32_t *)(packed->groups + packed->n_groups);
	if (users_len)
		memcpy(packed->users, g->users->data, users_len);
	if (groups_len)
		memcpy(packed->groups, g->groups->data, groups_len);
	while (packed->n_keyed < packed->n_groups && packed->groups[packed->n_keyed].leaf == 0)
		packed->n_keyed++;
	number_leaves(packed);
	return packed;
}

int find_users(RefSources *sources, uint64_t logical, uint64_t most_refs,
	       struct extent_users **ret, size_t *ret_bytes)
{
	g_autoptr(GArray) refs = g_array_new(FALSE, FALSE, sizeof(struct extent_ref));
	g_autoptr(GArray) users = g_array_new(FALSE, FALSE, sizeof(struct extent_user));
	g_autoptr(GArray) groups = g_array_new(FALSE, FALSE, sizeof(struct extent_user_group));
	struct gathering g = { sources, logical, refs, users, groups };
	struct extent_refs found = { .refs = refs };
	int r = ref_sources_read(sources, logical, most_refs, &found);

	if (r && r != -ENOENT)
		return r;
	r = 0;
	for (guint i = 0; r == 0 && i < refs->len; i++)
		r = gather(&g, &g_array_index(refs, struct extent_ref, i));
	if (r)
		return r;
	*ret = pack(&g, found.head.refs, ret_bytes);
	return *ret ? 0 : -ENOMEM;
}
