#include "btrfs/subvol/root_list.h"
#include "base/error.h"
#include "btrfs/subvol/pattern.h"
#include <errno.h>
#include <limits.h>

/* Of subvolumes inside each other, and of directories inside each other. */
#define DEPTH_MOST ((unsigned)PATH_MAX / 2)

static void root_entry_free(void *user)
{
	struct root_entry *entry = user;

	g_free(entry->leaf_name);
	g_free(entry->path);
	g_free(entry);
}

/* As a string, if it can be one component of a path. */
static char *component_of(struct span name)
{
	g_autofree char *text = NULL;

	if (name.len == 0 || name.len > NAME_MAX || memchr(name.data, '\0', name.len))
		return NULL;
	text = g_strndup((const char *)name.data, name.len);
	return is_component(text) ? g_steal_pointer(&text) : NULL;
}

static bool is_subvolume(uint64_t id)
{
	return id >= BTRFS_FIRST_FREE_OBJECTID && id <= BTRFS_LAST_FREE_OBJECTID;
}

/* The items of one subvolume come together: ROOT_ITEM, then ROOT_BACKREF. */
static int take_item(GPtrArray *list, const struct key *key, struct span item)
{
	struct root_entry *entry = list->len ? g_ptr_array_index(list, list->len - 1) : NULL;
	struct root_ref ref;
	int r;

	if (entry && entry->id != key->objectid)
		entry = NULL;
	if (key->type == BTRFS_ROOT_ITEM_KEY) {
		if (!entry) {
			entry = g_new0(struct root_entry, 1);
			entry->id = key->objectid;
			g_ptr_array_add(list, entry);
		}
		return root_item_parse(item, &entry->item);
	}
	if (key->type != BTRFS_ROOT_BACKREF_KEY || !entry || entry->leaf_name)
		return 0;
	r = root_ref_parse(item, &ref);
	if (r < 0)
		return r;
	entry->parent = key->offset;
	entry->dirid = ref.dirid;
	entry->leaf_name = component_of(ref.name);
	return 0;
}

/* Every step must lead to a greater key: a damaged tree gives no endless walk. */
static int walk_roots(const struct tree *root_tree, GPtrArray *list)
{
	const struct key first = KEY(BTRFS_FIRST_FREE_OBJECTID, 0, 0);
	g_autoptr(TreeCursor) cursor = tree_cursor_new(root_tree, TREE_READAHEAD_FORWARD);
	struct key last = { 0 };
	int r;

	if (!cursor)
		return -ENOMEM;
	for (r = tree_cursor_seek(cursor, &first); r == 0; r = tree_cursor_next(cursor)) {
		const struct key key = tree_cursor_key(cursor);

		if (key_compare(&key, &last) <= 0)
			return -EUCLEAN;
		last = key;
		if (!is_subvolume(key.objectid))
			continue;
		r = take_item(list, &key, tree_cursor_item(cursor));
		if (r < 0)
			return r;
	}
	return r == -ENOENT ? 0 : r;
}

/* Deleted ones, and those that lie nowhere. */
static void drop_unreachable(Fs *fs, GPtrArray *list)
{
	for (guint i = list->len; i > 0; i--) {
		const struct root_entry *entry = g_ptr_array_index(list, i - 1);

		if (entry->item.refs > 0 && entry->leaf_name)
			continue;
		if (entry->item.refs > 0)
			log_line(fs_log(fs), LOG_LEVEL_WARNING,
				 "subvolume %" G_GUINT64_FORMAT ": it has no name that makes sense",
				 entry->id);
		g_ptr_array_remove_index(list, i - 1);
	}
}

/* Finding paths: subvolumes by id, and the directories already found. */
struct pathfinder {
	Fs *fs;
	const GPtrArray *list;
	GHashTable *dirs; /* "PARENT/DIRID" to its path inside the parent, "" for its root */
};

static struct root_entry *entry_of(const GPtrArray *list, uint64_t id)
{
	guint low = 0, high = list->len;

	while (low < high) {
		guint middle = low + (high - low) / 2;
		struct root_entry *entry = g_ptr_array_index(list, middle);

		if (entry->id == id)
			return entry;
		if (entry->id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* Name and parent of a directory. */
static int dir_step(TreeCursor *cursor, uint64_t *inout_dirid, char **ret_name)
{
	const struct key first = KEY(*inout_dirid, BTRFS_INODE_REF_KEY, 0);
	struct inode_ref ref;
	struct cursor item;
	struct key key;
	int r;

	r = tree_cursor_seek(cursor, &first);
	if (r < 0)
		return r == -ENOENT ? -EUCLEAN : r;
	key = tree_cursor_key(cursor);
	if (key.objectid != *inout_dirid || key.type != BTRFS_INODE_REF_KEY)
		return -EUCLEAN;
	item = cursor_of(tree_cursor_item(cursor));
	r = inode_ref_next(&item, &ref);
	if (r < 0)
		return r;
	*ret_name = component_of(ref.name);
	if (!*ret_name)
		return -EUCLEAN;
	*inout_dirid = key.offset;
	return 0;
}

/* The path of directory @dirid inside subvolume @id, with a '/' at its end. */
static int dir_path(Fs *fs, uint64_t id, uint64_t dirid, char **ret)
{
	g_autoptr(TreeCursor) cursor = NULL;
	g_autoptr(GString) path = g_string_new(NULL);
	struct tree tree;
	int r;

	if (dirid == BTRFS_FIRST_FREE_OBJECTID) {
		*ret = g_strdup("");
		return 0;
	}
	r = fs_subvolume(fs, id, NULL, &tree);
	if (r < 0)
		return r == -ENOENT ? -EUCLEAN : r;
	cursor = tree_cursor_new(&tree, TREE_READAHEAD_NONE);
	if (!cursor)
		return -ENOMEM;
	while (dirid != BTRFS_FIRST_FREE_OBJECTID) {
		g_autofree char *name = NULL;

		if (path->len > PATH_MAX)
			return -EUCLEAN;
		r = dir_step(cursor, &dirid, &name);
		if (r < 0)
			return r;
		g_string_prepend_c(path, '/');
		g_string_prepend(path, name);
	}
	*ret = g_string_free(g_steal_pointer(&path), FALSE);
	return 0;
}

static int dir_path_cached(struct pathfinder *finder, uint64_t id, uint64_t dirid,
			   const char **ret)
{
	g_autofree char *key = g_strdup_printf("%" G_GUINT64_FORMAT "/%" G_GUINT64_FORMAT, id,
					       dirid);
	char *path = g_hash_table_lookup(finder->dirs, key);

	if (!path) {
		int r = dir_path(finder->fs, id, dirid, &path);

		if (r < 0)
			return r;
		g_hash_table_insert(finder->dirs, g_steal_pointer(&key), path);
	}
	*ret = path;
	return 0;
}

static int full_path(struct pathfinder *finder, const struct root_entry *entry, char **ret)
{
	g_autoptr(GString) path = g_string_new(NULL);

	for (unsigned depth = 0; depth < DEPTH_MOST && path->len <= PATH_MAX; depth++) {
		const char *dir;
		int r;

		if (!entry)
			return -EUCLEAN;
		r = dir_path_cached(finder, entry->parent, entry->dirid, &dir);
		if (r < 0)
			return r;
		if (path->len > 0)
			g_string_prepend_c(path, '/');
		g_string_prepend(path, entry->leaf_name);
		g_string_prepend(path, dir);
		if (entry->parent == BTRFS_FS_TREE_OBJECTID) {
			*ret = g_string_free(g_steal_pointer(&path), FALSE);
			return 0;
		}
		entry = entry_of(finder->list, entry->parent);
	}
	return -EUCLEAN;
}

static void find_paths(Fs *fs, GPtrArray *list)
{
	g_autoptr(GHashTable) dirs =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	struct pathfinder finder = { .fs = fs, .list = list, .dirs = dirs };

	for (guint i = 0; i < list->len; i++) {
		struct root_entry *entry = g_ptr_array_index(list, i);
		int r = full_path(&finder, entry, &entry->path);

		if (r < 0)
			log_line(fs_log(fs), LOG_LEVEL_WARNING,
				 "subvolume %" G_GUINT64_FORMAT ": its path is not known: %s",
				 entry->id, error_text(r));
	}
}

int root_list_read(Fs *fs, GPtrArray **ret)
{
	int r = -ESTALE;

	for (unsigned tries = 0; tries < 5; tries++) {
		g_autoptr(GPtrArray) list = g_ptr_array_new_with_free_func(root_entry_free);
		struct tree root_tree;

		r = fs_root_tree(fs, &root_tree);
		if (r == 0)
			r = walk_roots(&root_tree, list);
		if (r == 0) {
			drop_unreachable(fs, list);
			find_paths(fs, list);
			*ret = g_steal_pointer(&list);
			return 0;
		}
		/* The file system may be mounted and changing. */
		if (!error_may_be_overtaken(r) || fs_refresh(fs) < 0 ||
		    fs_super(fs).generation == root_tree.generation)
			break;
	}
	return r;
}
