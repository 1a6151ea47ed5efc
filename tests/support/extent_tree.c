#include "support/extent_tree.h"

#define HEADER_LEN 101u
#define ITEM_LEN 25u
#define POINTER_LEN 33u
#define EXAMPLE_GENERATION 7u
#define DATA_REF_LEN 29u
#define INLINE_MOST 1024u /* bytes of data references in an EXTENT_ITEM */

void put_data_ref(GByteArray *to, uint64_t root, uint64_t ino, uint64_t offset, uint32_t count)
{
	put_u8(to, BTRFS_EXTENT_DATA_REF_KEY);
	put_le64(to, root);
	put_le64(to, ino);
	put_le64(to, offset);
	put_le32(to, count);
}

void put_shared_data_ref(GByteArray *to, uint64_t leaf, uint32_t count)
{
	put_u8(to, BTRFS_SHARED_DATA_REF_KEY);
	put_le64(to, leaf);
	put_le32(to, count);
}

void put_block_ref(GByteArray *to, uint64_t root)
{
	put_u8(to, BTRFS_TREE_BLOCK_REF_KEY);
	put_le64(to, root);
}

void put_shared_block_ref(GByteArray *to, uint64_t parent)
{
	put_u8(to, BTRFS_SHARED_BLOCK_REF_KEY);
	put_le64(to, parent);
}

/* References of data that find no room within the item get items of their own,
 * under made-up hashes. */
static size_t put_keyed_refs(ItemSet *items, uint64_t logical, struct span refs)
{
	size_t n_inline = refs.len;

	for (uint64_t hash = 1; n_inline > INLINE_MOST; hash++) {
		n_inline -= DATA_REF_LEN;
		item_set_put_span(items, KEY(logical, BTRFS_EXTENT_DATA_REF_KEY, hash),
				  span_of(refs.data + n_inline + 1, DATA_REF_LEN - 1));
	}
	return n_inline;
}

void put_extent_item(ItemSet *items, const struct extent_at *at, uint64_t count, struct span refs)
{
	GByteArray *bytes = g_byte_array_new();

	put_le64(bytes, count);
	put_le64(bytes, at->generation);
	put_le64(bytes, at->level < 0 ? BTRFS_EXTENT_FLAG_DATA : BTRFS_EXTENT_FLAG_TREE_BLOCK);
	if (at->level < 0)
		refs.len = put_keyed_refs(items, at->logical, refs);
	put_span(bytes, refs);
	item_set_put(items,
		     at->level < 0 ?
			     KEY(at->logical, BTRFS_EXTENT_ITEM_KEY, 4096) :
			     KEY(at->logical, BTRFS_METADATA_ITEM_KEY, (uint64_t)at->level),
		     bytes);
}

/* What an extent or block has gathered. */
struct gathered {
	struct extent_at at;
	uint64_t count;
	GByteArray *refs;
};

struct walk {
	const FsImage *fs;
	GHashTable *found;   /* logical (uint64_t) to struct gathered */
	GHashTable *visited; /* blocks (uint64_t) */
};

static void free_gathered(gpointer p)
{
	struct gathered *gathered = p;

	g_byte_array_unref(gathered->refs);
	g_free(gathered);
}

static struct gathered *gathered_of(struct walk *walk, uint64_t logical, int level)
{
	struct gathered *gathered = g_hash_table_lookup(walk->found, &logical);

	if (!gathered) {
		gathered = g_new0(struct gathered, 1);
		gathered->at = (struct extent_at){ logical, EXAMPLE_GENERATION, level };
		gathered->refs = g_byte_array_new();
		g_hash_table_insert(walk->found, g_memdup2(&logical, 8), gathered);
	}
	gathered->count++;
	return gathered;
}

/* The same keyed reference counts up; the layout is that of put_data_ref(). */
static void add_data_ref(struct gathered *gathered, uint64_t root, uint64_t ino, uint64_t offset)
{
	g_autoptr(GByteArray) ref = g_byte_array_new();

	put_data_ref(ref, root, ino, offset, 1);
	for (guint at = 0; at < gathered->refs->len; at += ref->len) {
		uint8_t *have = gathered->refs->data + at;

		if (memcmp(have, ref->data, ref->len - 4) == 0) {
			store_le32(have + ref->len - 4, load_le32(have + ref->len - 4) + 1);
			return;
		}
	}
	put_span(gathered->refs, span_of_bytes(ref));
}

static struct key load_key(const uint8_t *at)
{
	return KEY(load_le64(at), at[8], load_le64(at + 9));
}

static void walk_leaf_item(struct walk *walk, const uint8_t *block, const uint8_t *slot)
{
	const struct key key = load_key(slot);
	const struct span item = span_of(block + HEADER_LEN + load_le32(slot + 17),
					 load_le32(slot + 21));
	struct file_extent extent;

	if (key.type != BTRFS_EXTENT_DATA_KEY || file_extent_parse(item, &extent) ||
	    extent.disk_bytenr == 0)
		return;
	add_data_ref(gathered_of(walk, extent.disk_bytenr, -1), load_le64(block + 88),
		     key.objectid, key.offset - extent.offset);
}

static void walk_block(struct walk *walk, uint64_t logical)
{
	const uint8_t *block = walk->fs->image->data + logical;
	const uint8_t level = block[100];
	const uint64_t owner = load_le64(block + 88);

	if (!g_hash_table_add(walk->visited, g_memdup2(&logical, 8)))
		return;
	for (uint32_t i = 0; i < load_le32(block + 96); i++) {
		const uint8_t *slot = block + HEADER_LEN + i * (level ? POINTER_LEN : ITEM_LEN);
		const uint64_t child = load_le64(slot + 17);
		struct gathered *gathered;

		if (level == 0) {
			walk_leaf_item(walk, block, slot);
			continue;
		}
		gathered = gathered_of(walk, child, level - 1);
		gathered->at.generation = load_le64(slot + 25);
		put_block_ref(gathered->refs, owner);
		walk_block(walk, child);
	}
}

static bool is_subvolume(uint64_t id)
{
	return id == BTRFS_FS_TREE_OBJECTID || id >= BTRFS_FIRST_FREE_OBJECTID;
}

ItemSet *extent_items_of(const FsImage *fs)
{
	struct walk walk = {
		.fs = fs,
		.found = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, free_gathered),
		.visited = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL),
	};
	ItemSet *items = item_set_new();
	GHashTableIter iter;
	gpointer value;

	for (size_t i = 0; i < item_set_count(fs->roots); i++) {
		const struct block_item item = item_set_at(fs->roots, i);
		struct gathered *gathered;
		struct root_item root;

		if (item.key.type != BTRFS_ROOT_ITEM_KEY || !is_subvolume(item.key.objectid))
			continue;
		g_assert_cmpint(root_item_parse(item.data, &root), ==, 0);
		gathered = gathered_of(&walk, root.bytenr, root.level);
		gathered->at.generation = root.generation;
		put_block_ref(gathered->refs, item.key.objectid);
		walk_block(&walk, root.bytenr);
	}
	g_hash_table_iter_init(&iter, walk.found);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		const struct gathered *gathered = value;

		put_extent_item(items, &gathered->at, gathered->count,
				span_of_bytes(gathered->refs));
	}
	g_hash_table_unref(walk.found);
	g_hash_table_unref(walk.visited);
	return items;
}

void fs_image_put_extent_tree(FsImage *fs, const ItemSet *items)
{
	fs->extent_root = fs_image_write_tree(fs, BTRFS_EXTENT_TREE_OBJECTID, items);
}
