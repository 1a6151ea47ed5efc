#include "btrfs/backref/internal.h"

#define CURSORS_KEPT 64u

struct RefSources {
	Fs *fs;
	TreeCursor *extents;
	Lru *cursors;		/* subvolume id -> TreeCursor */
	struct extent_refs own; /* of a block that is being read */
};

RefSources *ref_sources_new(Fs *fs)
{
	RefSources *sources = g_new0(RefSources, 1);

	sources->fs = fs;
	sources->cursors = lru_new(CURSORS_KEPT, (GDestroyNotify)tree_cursor_free);
	sources->own.refs = g_array_new(FALSE, FALSE, sizeof(struct extent_ref));
	return sources;
}

void ref_sources_free(RefSources *sources)
{
	if (!sources)
		return;
	tree_cursor_free(sources->extents);
	lru_free(sources->cursors);
	g_array_unref(sources->own.refs);
	g_free(sources);
}

void ref_sources_reset(RefSources *sources)
{
	g_clear_pointer(&sources->extents, tree_cursor_free);
	lru_clear(sources->cursors);
}

static int extent_cursor(RefSources *sources, TreeCursor **ret)
{
	struct tree tree;
	int r;

	if (!sources->extents) {
		r = fs_tree(sources->fs, BTRFS_EXTENT_TREE_OBJECTID, &tree);
		if (r)
			return r == -ENOENT ? -EUCLEAN : r;
		sources->extents = tree_cursor_new(&tree, TREE_READAHEAD_NONE);
		if (!sources->extents)
			return -ENOMEM;
	}
	*ret = sources->extents;
	return 0;
}

int ref_sources_tree(RefSources *sources, uint64_t id, struct tree *ret)
{
	return fs_subvolume(sources->fs, id, NULL, ret);
}

int ref_sources_cursor(RefSources *sources, uint64_t id, TreeCursor **ret)
{
	TreeCursor *cursor = lru_get(sources->cursors, id, 0);
	struct tree tree;
	int r;

	if (!cursor) {
		r = ref_sources_tree(sources, id, &tree);
		if (r)
			return r;
		cursor = tree_cursor_new(&tree, TREE_READAHEAD_NONE);
		if (!cursor)
			return -ENOMEM;
		lru_put(sources->cursors, id, 0, cursor, 1);
	}
	*ret = cursor;
	return 0;
}

static int compare_u64(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static gint descending(gconstpointer a, gconstpointer b)
{
	const struct extent_ref *x = a, *y = b;
	int r = compare_u64(y->root, x->root);

	if (r == 0)
		r = compare_u64(y->ino, x->ino);
	if (r == 0)
		r = compare_u64(y->offset, x->offset);
	return r ? r : compare_u64(y->parent, x->parent);
}

/* Orders the references; equal ones become one, with the sum of the counts. */
static void merge_refs(GArray *refs)
{
	guint kept = 0;

	g_array_sort(refs, descending);
	for (guint i = 0; i < refs->len; i++) {
		const struct extent_ref ref = g_array_index(refs, struct extent_ref, i);
		struct extent_ref *last = NULL;

		if (kept)
			last = &g_array_index(refs, struct extent_ref, kept - 1);
		if (last && descending(last, &ref) == 0)
			last->count += ref.count;
		else
			g_array_index(refs, struct extent_ref, kept++) = ref;
	}
	g_array_set_size(refs, kept);
}

static int read_head(TreeCursor *cursor, uint64_t logical, struct extent_refs *ret,
		     struct cursor *ret_inline)
{
	const struct key first = KEY(logical, BTRFS_EXTENT_ITEM_KEY, 0);
	struct key key;
	struct span item;
	int r = tree_cursor_seek(cursor, &first);

	if (r)
		return r;
	key = tree_cursor_key(cursor);
	item = tree_cursor_item(cursor);
	if (key.objectid != logical ||
	    (key.type != BTRFS_EXTENT_ITEM_KEY && key.type != BTRFS_METADATA_ITEM_KEY))
		return -ENOENT;
	r = extent_head_parse(&key, item, &ret->head, ret_inline);
	if (r || !(ret->head.flags & BTRFS_EXTENT_FLAG_TREE_BLOCK))
		return r;
	if (key.type == BTRFS_METADATA_ITEM_KEY)
		ret->level = (uint8_t)key.offset;
	else
		ret->level = item.data[item.len - ret_inline->left - 1];
	return 0;
}

static int read_keyed(TreeCursor *cursor, uint64_t logical, GArray *refs)
{
	int r;

	while ((r = tree_cursor_next(cursor)) == 0) {
		const struct key key = tree_cursor_key(cursor);
		struct extent_ref ref;

		if (key.objectid != logical)
			return 0;
		r = extent_keyed_ref_parse(&key, tree_cursor_item(cursor), &ref);
		if (r == 0)
			g_array_append_val(refs, ref);
		else if (r != -ENOENT)
			return r;
	}
	return r == -ENOENT ? 0 : r;
}

int ref_sources_read(RefSources *sources, uint64_t logical, uint64_t most_refs,
		     struct extent_refs *ret)
{
	struct cursor inline_refs;
	TreeCursor *cursor;
	int r;

	g_array_set_size(ret->refs, 0);
	r = extent_cursor(sources, &cursor);
	if (r == 0)
		r = read_head(cursor, logical, ret, &inline_refs);
	if (r || ret->head.refs > most_refs)
		return r;
	while (inline_refs.left > 0) {
		struct extent_ref ref;

		r = extent_inline_ref_next(&inline_refs, &ref);
		if (r)
			return r;
		if (ref.kind != EXTENT_REF_OTHER)
			g_array_append_val(ret->refs, ref);
	}
	r = read_keyed(cursor, logical, ret->refs);
	if (r)
		return r;
	/* Each counts at least one: so @most_refs bounds them, whatever is there. */
	if (ret->refs->len > ret->head.refs)
		return -EUCLEAN;
	merge_refs(ret->refs);
	return 0;
}

int ref_sources_block(RefSources *sources, uint64_t logical, Node **ret)
{
	struct node_want want = { .logical = logical };
	int r = ref_sources_read(sources, logical, 0, &sources->own);

	if (r)
		return r == -ENOENT ? -EUCLEAN : r;
	want.generation = sources->own.head.generation;
	want.level = sources->own.level;
	return node_store_get(fs_nodes(sources->fs), &want, ret);
}
