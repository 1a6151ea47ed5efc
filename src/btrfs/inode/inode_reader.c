#include "btrfs/inode/inode_reader.h"
#include "btrfs/inode/name_filter.h"

#define SECTOR_SIZE 4096u
#define INODE_SLOTS 1024u /* a power of two */

enum question { ASK_INODE, ASK_REF, ASK_ENTRY, ASK_INDEX, ASK_XATTR, ASK_EXTENT, N_QUESTIONS };

/* The inode items asked for lately, each in the slot of its number. */
struct inode_slot {
	uint64_t ino; /* 0: empty */
	int result;   /* 0 or -ENOENT */
	struct inode_item item;
};

struct InodeReader {
	struct tree tree;
	TreeCursor *cursors[N_QUESTIONS];
	NameFilter *filter;
	struct inode_slot slots[INODE_SLOTS];
};

InodeReader *inode_reader_new(const struct tree *tree)
{
	g_autoptr(InodeReader) reader = g_try_new0(InodeReader, 1);

	if (!reader)
		return NULL;
	reader->tree = *tree;
	reader->filter = name_filter_new(tree);
	if (!reader->filter)
		return NULL;
	for (unsigned i = 0; i < N_QUESTIONS; i++) {
		reader->cursors[i] = tree_cursor_new(tree, TREE_READAHEAD_NONE);
		if (!reader->cursors[i])
			return NULL;
	}
	return g_steal_pointer(&reader);
}

void inode_reader_free(InodeReader *reader)
{
	if (!reader)
		return;
	for (unsigned i = 0; i < N_QUESTIONS; i++)
		tree_cursor_free(reader->cursors[i]);
	name_filter_free(reader->filter);
	g_free(reader);
}

const struct tree *inode_reader_tree(const InodeReader *reader)
{
	return &reader->tree;
}

uint64_t inode_reader_descents(const InodeReader *reader)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < N_QUESTIONS; i++)
		sum += tree_cursor_descents(reader->cursors[i]);
	return sum;
}

static int read_inode_item(InodeReader *reader, uint64_t ino, struct inode_item *ret)
{
	TreeCursor *cursor = reader->cursors[ASK_INODE];
	const struct key key = KEY(ino, BTRFS_INODE_ITEM_KEY, 0);
	int r = tree_cursor_find(cursor, &key);

	return r ? r : inode_item_parse(tree_cursor_item(cursor), ret);
}

int inode_reader_item(InodeReader *reader, uint64_t ino, const struct inode_item **ret)
{
	struct inode_slot *slot = &reader->slots[ino % INODE_SLOTS];

	if (slot->ino != ino || ino == 0) {
		int r = read_inode_item(reader, ino, &slot->item);

		slot->ino = 0;
		if (r && r != -ENOENT)
			return r;
		slot->ino = ino;
		slot->result = r;
	}
	if (slot->result == 0)
		*ret = &slot->item;
	return slot->result;
}

int inode_reader_generation(InodeReader *reader, uint64_t ino, uint64_t *ret)
{
	const struct inode_item *item;
	int r = inode_reader_item(reader, ino, &item);

	if (r == 0)
		*ret = item->generation;
	return r;
}

static bool is_ref_key(const struct key *key)
{
	return key->type == BTRFS_INODE_REF_KEY || key->type == BTRFS_INODE_EXTREF_KEY;
}

int inode_refs_in_item(const struct key *key, struct span item, inode_ref_fn visit, void *user)
{
	struct cursor c = cursor_of(item);
	int r = 0;

	while (r == 0 && c.left > 0) {
		if (key->type == BTRFS_INODE_REF_KEY) {
			struct inode_ref ref;

			r = inode_ref_next(&c, &ref);
			if (r == 0)
				r = visit(user, key->offset, ref.name);
		} else {
			struct inode_extref ref;

			r = inode_extref_next(&c, &ref);
			if (r == 0)
				r = visit(user, ref.parent, ref.name);
		}
	}
	return r;
}

/* Calls @each for the inode's reference items until it returns non-zero. */
typedef int (*ref_item_fn)(void *user, const struct key *key, struct span item);

static int each_ref_item(InodeReader *reader, uint64_t ino, ref_item_fn each, void *user)
{
	/* Visitors may ask about references themselves: a cursor of their own. */
	g_autoptr(TreeCursor) cursor = tree_cursor_new(&reader->tree, TREE_READAHEAD_NONE);
	const struct key first = KEY(ino, BTRFS_INODE_REF_KEY, 0);
	int r;

	if (!cursor)
		return -ENOMEM;
	for (r = tree_cursor_seek(cursor, &first); r == 0; r = tree_cursor_next(cursor)) {
		const struct key key = tree_cursor_key(cursor);

		if (key.objectid != ino || !is_ref_key(&key))
			return 0;
		r = each(user, &key, tree_cursor_item(cursor));
		if (r)
			return r;
	}
	return r == -ENOENT ? 0 : r;
}

struct ref_visit {
	inode_ref_fn visit;
	void *user;
};

static int visit_all(void *user, const struct key *key, struct span item)
{
	const struct ref_visit *v = user;

	return inode_refs_in_item(key, item, v->visit, v->user);
}

static int visit_parents(void *user, const struct key *key, struct span item)
{
	const struct ref_visit *v = user;
	struct cursor c = cursor_of(item);
	struct inode_ref ref;
	int r;

	if (key->type == BTRFS_INODE_EXTREF_KEY)
		return inode_refs_in_item(key, item, v->visit, v->user);
	r = inode_ref_next(&c, &ref);
	return r ? r : v->visit(v->user, key->offset, ref.name);
}

int inode_reader_refs(InodeReader *reader, uint64_t ino, inode_ref_fn visit, void *user)
{
	return each_ref_item(reader, ino, visit_all, &(struct ref_visit){ visit, user });
}

int inode_reader_parents(InodeReader *reader, uint64_t ino, inode_ref_fn visit, void *user)
{
	return each_ref_item(reader, ino, visit_parents, &(struct ref_visit){ visit, user });
}

static int take_reference(void *user, uint64_t dir, struct span name)
{
	struct reference *ret = user;

	if (name.len == 0 || name.len > sizeof(ret->name.bytes))
		return -EUCLEAN;
	ret->dir = dir;
	ret->name.len = (uint8_t)name.len;
	memcpy(ret->name.bytes, name.data, name.len);
	return 1;
}

int inode_reader_first_ref(InodeReader *reader, uint64_t ino, struct reference *ret)
{
	TreeCursor *cursor = reader->cursors[ASK_REF];
	const struct key first = KEY(ino, BTRFS_INODE_REF_KEY, 0);
	struct key key;
	int r = tree_cursor_seek(cursor, &first);

	if (r)
		return r;
	key = tree_cursor_key(cursor);
	if (key.objectid != ino || !is_ref_key(&key))
		return -ENOENT;
	r = inode_refs_in_item(&key, tree_cursor_item(cursor), take_reference, ret);
	return r == 1 ? 0 : (r ? r : -EUCLEAN);
}

static bool surely_lacks(InodeReader *reader, uint64_t dir, uint32_t hash)
{
	const struct inode_item *item;

	if (name_filter_wants(reader->filter, dir) && inode_reader_item(reader, dir, &item) == 0)
		name_filter_read(reader->filter, dir, item->size);
	return name_filter_excludes(reader->filter, dir, hash);
}

int inode_reader_lookup(InodeReader *reader, uint64_t dir, struct span name, struct key *ret)
{
	TreeCursor *cursor = reader->cursors[ASK_ENTRY];
	const struct key key = KEY(dir, BTRFS_DIR_ITEM_KEY, name_hash(name));
	struct cursor c;
	int r;

	if (surely_lacks(reader, dir, (uint32_t)key.offset))
		return -ENOENT;
	r = tree_cursor_find(cursor, &key);
	if (r)
		return r;
	c = cursor_of(tree_cursor_item(cursor));
	while (c.left > 0) {
		struct dir_entry entry;

		r = dir_entry_next(&c, &entry);
		if (r)
			return r;
		if (span_equal(entry.name, name)) {
			*ret = entry.location;
			return 0;
		}
	}
	return -ENOENT;
}

static int take_dir_index(const TreeCursor *cursor, uint64_t dir, struct dir_index *ret)
{
	const struct key key = tree_cursor_key(cursor);
	struct cursor c = cursor_of(tree_cursor_item(cursor));
	struct dir_entry entry;
	int r;

	if (key.objectid != dir || key.type != BTRFS_DIR_INDEX_KEY)
		return -ENOENT;
	r = dir_entry_next(&c, &entry);
	if (r == 0)
		*ret = (struct dir_index){ .index = key.offset, .location = entry.location };
	return r;
}

int inode_reader_dir_index(InodeReader *reader, uint64_t dir, uint64_t from,
			   struct dir_index *ret)
{
	TreeCursor *cursor = reader->cursors[ASK_INDEX];
	const struct key key = KEY(dir, BTRFS_DIR_INDEX_KEY, from);
	int r = tree_cursor_seek(cursor, &key);

	return r ? r : take_dir_index(cursor, dir, ret);
}

int inode_reader_last_dir_index(InodeReader *reader, uint64_t dir, struct dir_index *ret)
{
	TreeCursor *cursor = reader->cursors[ASK_INDEX];
	const struct key key = KEY(dir, BTRFS_DIR_INDEX_KEY, UINT64_MAX);
	int r = tree_cursor_seek_before(cursor, &key);

	return r ? r : take_dir_index(cursor, dir, ret);
}

int xattr_find_in_item(struct span item, struct span name, struct span *ret)
{
	struct cursor c = cursor_of(item);

	while (c.left > 0) {
		struct dir_entry entry;
		int r = dir_entry_next(&c, &entry);

		if (r)
			return r;
		if (span_equal(entry.name, name)) {
			*ret = entry.data;
			return 0;
		}
	}
	return -ENOENT;
}

int inode_reader_xattr(InodeReader *reader, uint64_t ino, struct span name, struct span *ret)
{
	TreeCursor *cursor = reader->cursors[ASK_XATTR];
	const struct key key = KEY(ino, BTRFS_XATTR_ITEM_KEY, name_hash(name));
	int r = tree_cursor_find(cursor, &key);

	return r ? r : xattr_find_in_item(tree_cursor_item(cursor), name, ret);
}

static int take_extent(const TreeCursor *cursor, uint64_t ino, struct extent_item *ret)
{
	const struct key key = tree_cursor_key(cursor);
	struct file_extent extent;
	int r;

	if (key.objectid != ino || key.type != BTRFS_EXTENT_DATA_KEY)
		return -ENOENT;
	r = file_extent_parse(tree_cursor_item(cursor), &extent);
	if (r == 0)
		*ret = (struct extent_item){ .offset = key.offset, .extent = extent };
	return r;
}

int inode_reader_extent_before(InodeReader *reader, uint64_t ino, uint64_t offset,
			       struct extent_item *ret)
{
	TreeCursor *cursor = reader->cursors[ASK_EXTENT];
	const struct key key = KEY(ino, BTRFS_EXTENT_DATA_KEY, offset);
	int r = tree_cursor_seek_before(cursor, &key);

	return r ? r : take_extent(cursor, ino, ret);
}

int inode_reader_extent_after(InodeReader *reader, uint64_t ino, uint64_t offset,
			      struct extent_item *ret)
{
	TreeCursor *cursor = reader->cursors[ASK_EXTENT];
	const struct key key = KEY(ino, BTRFS_EXTENT_DATA_KEY, offset);
	int r = tree_cursor_seek(cursor, &key);

	return r ? r : take_extent(cursor, ino, ret);
}

int inode_reader_extent_next(InodeReader *reader, uint64_t ino, struct extent_item *ret)
{
	TreeCursor *cursor = reader->cursors[ASK_EXTENT];
	int r = tree_cursor_next(cursor);

	return r ? r : take_extent(cursor, ino, ret);
}

uint64_t extent_item_end(const struct extent_item *item)
{
	if (item->extent.type != BTRFS_FILE_EXTENT_INLINE)
		return item->offset + item->extent.num_bytes;
	return (item->offset + item->extent.ram_bytes + SECTOR_SIZE - 1) & ~(uint64_t)(SECTOR_SIZE - 1);
}
