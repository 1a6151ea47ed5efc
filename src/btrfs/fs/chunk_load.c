#include "btrfs/fs/chunk_load.h"
#include "base/cause.h"
#include "base/error.h"
#include "btrfs/fs/fs.h"

struct chunk_loader {
	NodeStore *nodes;
	ChunkMap *map;
	uint32_t sector_size;
	/* Keys must rise over the whole tree.  That each block does so within
	 * itself is checked when it is read; without this one, blocks that
	 * are pointed to twice could make a walk without end. */
	struct key last;
	bool has_last;
	GArray *dev_items; /* struct dev_item */
	GError **error;
};

static int bad_order(const struct chunk_loader *loader)
{
	g_set_error(loader->error, FS_ERROR, EUCLEAN, "the chunk tree's keys are out of order");
	return -EUCLEAN;
}

static int add_chunk(struct chunk_loader *loader, uint64_t logical, struct span item)
{
	int r = chunk_map_add(loader->map, logical, item, loader->sector_size);

	if (r < 0 && r != -EEXIST)
		g_set_error(loader->error, FS_ERROR, -r, "chunk at %" G_GUINT64_FORMAT ": %s",
			    logical, error_text(r));
	return r == -EEXIST ? 0 : r;
}

static int add_device(struct chunk_loader *loader, struct span item)
{
	struct dev_item device;
	const int r = dev_item_parse(item, &device);

	if (r < 0)
		g_set_error(loader->error, FS_ERROR, -r,
			    "a device in the chunk tree is not as the format demands");
	else
		g_array_append_val(loader->dev_items, device);
	return r;
}

static int load_item(struct chunk_loader *loader, const struct key *key, struct span item)
{
	if (key->objectid == BTRFS_FIRST_CHUNK_TREE_OBJECTID && key->type == BTRFS_CHUNK_ITEM_KEY)
		return add_chunk(loader, key->offset, item);
	if (key->objectid == BTRFS_DEV_ITEMS_OBJECTID && key->type == BTRFS_DEV_ITEM_KEY)
		return add_device(loader, item);
	return 0;
}

static int load_leaf(struct chunk_loader *loader, const Node *leaf)
{
	for (unsigned slot = 0; slot < leaf->n_items; slot++) {
		const struct key key = node_key(leaf, slot);
		int r;

		if (loader->has_last && key_compare(&key, &loader->last) <= 0)
			return bad_order(loader);
		loader->last = key;
		loader->has_last = true;
		r = load_item(loader, &key, node_item(leaf, slot));
		if (r < 0)
			return r;
	}
	return 0;
}

static int load_block(struct chunk_loader *loader, const struct node_want *want);

static int load_children(struct chunk_loader *loader, const Node *node)
{
	const unsigned n = node->n_items;
	g_autofree struct node_want *wants = g_try_new0(struct node_want, n);
	size_t ahead = 0;

	if (!wants)
		return -ENOMEM;
	for (unsigned i = 0; i < n; i++)
		wants[i] = (struct node_want){ .logical = node_child_logical(node, i),
					       .generation = node_child_generation(node, i),
					       .level = (uint8_t)(node->level - 1),
					       .has_first_key = true,
					       .first_key = node_key(node, i) };
	for (unsigned i = 0; i < n; i++) {
		int r;

		if (loader->has_last && key_compare(&wants[i].first_key, &loader->last) <= 0)
			return bad_order(loader);
		ahead = MAX(ahead, i);
		ahead += node_store_prefetch(loader->nodes, wants + ahead, n - ahead);
		r = load_block(loader, &wants[i]);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Goes no deeper than the root's level says: each level is verified. */
static int load_block(struct chunk_loader *loader, const struct node_want *want)
{
	g_autoptr(Node) node = NULL;
	int r;

	r = node_store_get(loader->nodes, want, &node);
	if (r < 0) {
		g_autofree char *why = cause_explain(r);

		g_set_error(loader->error, FS_ERROR, -r, "the chunk tree cannot be read: %s", why);
		return r;
	}
	return node->level == 0 ? load_leaf(loader, node) : load_children(loader, node);
}

static int load_array(const struct super *super, ChunkMap *map, GError **error)
{
	int r = chunk_map_add_array(map, span_of(super->sys_chunks, super->sys_chunks_len),
				    super->sector_size);

	if (r < 0)
		g_set_error(error, FS_ERROR, -r, "the superblock's system chunks: %s",
			    error_text(r));
	return r;
}

int chunk_load_tree(const struct super *super, NodeStore *nodes, GArray *dev_items,
		    ChunkMap **ret, GError **error)
{
	g_autoptr(ChunkMap) map = chunk_map_new();
	struct chunk_loader loader = { .nodes = nodes,
				       .map = map,
				       .sector_size = super->sector_size,
				       .dev_items = dev_items,
				       .error = error };
	const struct node_want root = { .logical = super->chunk_root.logical,
					.generation = super->chunk_root.generation,
					.level = super->chunk_root.level };
	int r;

	r = load_array(super, map, error);
	if (r == 0)
		r = load_block(&loader, &root);
	if (r < 0)
		return r;
	chunk_map_seal(map);
	*ret = g_steal_pointer(&map);
	return 0;
}
