#include "support/tree.h"

struct item {
	struct key key;
	GBytes *data;
};

struct ItemSet {
	GArray *items; /* struct item, sorted */
};

static void clear_item(void *item)
{
	g_bytes_unref(((struct item *)item)->data);
}

ItemSet *item_set_new(void)
{
	ItemSet *set = g_new0(ItemSet, 1);

	set->items = g_array_new(FALSE, FALSE, sizeof(struct item));
	g_array_set_clear_func(set->items, clear_item);
	return set;
}

static const struct item *item_at(const ItemSet *set, size_t i)
{
	return &g_array_index(set->items, struct item, i);
}

ItemSet *item_set_copy(const ItemSet *set)
{
	ItemSet *copy = item_set_new();

	for (size_t i = 0; i < set->items->len; i++) {
		struct item item = { item_at(set, i)->key, g_bytes_ref(item_at(set, i)->data) };

		g_array_append_val(copy->items, item);
	}
	return copy;
}

void item_set_free(ItemSet *set)
{
	if (!set)
		return;
	g_array_unref(set->items);
	g_free(set);
}

/* The first index whose key is not below @key. */
static guint lower_bound(const ItemSet *set, const struct key *key)
{
	guint from = 0, to = set->items->len;

	while (from < to) {
		guint middle = from + (to - from) / 2;

		if (key_compare(&item_at(set, middle)->key, key) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

static bool holds(const ItemSet *set, guint i, const struct key *key)
{
	return i < set->items->len && key_compare(&item_at(set, i)->key, key) == 0;
}

void item_set_put(ItemSet *set, struct key key, GByteArray *data)
{
	struct item item = { key, g_byte_array_free_to_bytes(data) };
	guint i = lower_bound(set, &key);

	if (holds(set, i, &key))
		g_array_remove_index(set->items, i);
	g_array_insert_val(set->items, i, item);
}

void item_set_put_span(ItemSet *set, struct key key, struct span data)
{
	GByteArray *bytes = g_byte_array_new();

	if (data.len)
		g_byte_array_append(bytes, data.data, (guint)data.len);
	item_set_put(set, key, bytes);
}

void item_set_remove(ItemSet *set, struct key key)
{
	guint i = lower_bound(set, &key);

	g_assert_true(holds(set, i, &key));
	g_array_remove_index(set->items, i);
}

size_t item_set_count(const ItemSet *set)
{
	return set->items->len;
}

struct block_item item_set_at(const ItemSet *set, size_t i)
{
	const struct item *item = item_at(set, i);
	gsize len;
	const uint8_t *data = g_bytes_get_data(item->data, &len);

	return (struct block_item){ .key = item->key, .data = span_of(data, len) };
}

struct TreeBuilder {
	Image *image;
	struct block_format format;
	uint64_t objectids_per_leaf;
	unsigned fanout;
	GHashTable *written; /* contents (GBytes) to struct block_pointer */
};

TreeBuilder *tree_builder_new(Image *image, const struct block_format *format,
			      uint64_t objectids_per_leaf, unsigned fanout)
{
	TreeBuilder *builder = g_new0(TreeBuilder, 1);

	g_assert_cmpuint(fanout, !=, 1);
	builder->image = image;
	builder->format = *format;
	builder->objectids_per_leaf = objectids_per_leaf;
	builder->fanout = fanout;
	builder->written = g_hash_table_new_full(g_bytes_hash, g_bytes_equal,
						 (GDestroyNotify)g_bytes_unref, g_free);
	return builder;
}

void tree_builder_free(TreeBuilder *builder)
{
	if (!builder)
		return;
	g_hash_table_unref(builder->written);
	g_free(builder);
}

size_t tree_builder_written(const TreeBuilder *builder)
{
	return g_hash_table_size(builder->written);
}

/* What one block holds: items or pointers. */
struct contents {
	const struct block_item *items;
	const struct block_pointer *pointers;
	size_t n;
};

static uint8_t *build(const TreeBuilder *builder, const struct block_head *head,
		      const struct contents *contents)
{
	if (head->level == 0)
		return build_leaf(&builder->format, head, contents->items, contents->n);
	return build_node(&builder->format, head, contents->pointers, contents->n);
}

/* Writes the block or finds an equal one; where it is goes to @up. */
static void write_block(TreeBuilder *builder, const struct block_head *head,
			const struct contents *contents, GArray *up)
{
	struct block_head placed = { .level = head->level };
	g_autofree uint8_t *anonymous = build(builder, &placed, contents);
	g_autoptr(GBytes) identity = g_bytes_new(anonymous, builder->format.node_size);
	struct block_pointer *known = g_hash_table_lookup(builder->written, identity);
	g_autofree uint8_t *block = NULL;

	if (known) {
		g_array_append_val(up, *known);
		return;
	}
	placed = *head;
	placed.logical = image_alloc(builder->image, builder->format.node_size);
	block = build(builder, &placed, contents);
	image_write(builder->image, placed.logical, block, builder->format.node_size);
	known = g_new0(struct block_pointer, 1);
	if (contents->n)
		known->key = head->level ? contents->pointers[0].key : contents->items[0].key;
	known->logical = placed.logical;
	known->generation = placed.generation;
	g_hash_table_insert(builder->written, g_steal_pointer(&identity), known);
	g_array_append_val(up, *known);
}

static bool cut_before(const TreeBuilder *builder, const struct key *last, const struct key *next)
{
	return builder->objectids_per_leaf > 0 &&
	       last->objectid / builder->objectids_per_leaf !=
		       next->objectid / builder->objectids_per_leaf;
}

static GArray *write_leaves(TreeBuilder *builder, const ItemSet *set, struct block_head *head)
{
	g_autoptr(GArray) leaf = g_array_new(FALSE, FALSE, sizeof(struct block_item));
	GArray *up = g_array_new(FALSE, FALSE, sizeof(struct block_pointer));
	size_t data_len = 0, i = 0, n = item_set_count(set);
	const struct block_item *items;

	do {
		g_array_set_size(leaf, 0);
		for (data_len = 0; i < n; i++) {
			struct block_item item = item_set_at(set, i);

			items = &g_array_index(leaf, struct block_item, 0);
			data_len += item.data.len;
			if (!leaf_fits(&builder->format, leaf->len + 1, data_len))
				break;
			if (leaf->len > 0 &&
			    cut_before(builder, &items[leaf->len - 1].key, &item.key))
				break;
			g_array_append_val(leaf, item);
		}
		g_assert_true(leaf->len > 0 || n == 0);
		items = &g_array_index(leaf, struct block_item, 0);
		write_block(builder, head, &(struct contents){ .items = items, .n = leaf->len },
			    up);
	} while (i < n);
	return up;
}

static GArray *write_nodes(TreeBuilder *builder, const GArray *down, struct block_head *head)
{
	GArray *up = g_array_new(FALSE, FALSE, sizeof(struct block_pointer));
	size_t most = node_pointers_most(&builder->format);

	if (builder->fanout)
		most = MIN(most, builder->fanout);
	for (size_t i = 0; i < down->len; i += most) {
		const struct contents contents = {
			.pointers = &g_array_index(down, struct block_pointer, i),
			.n = MIN(most, down->len - i),
		};

		write_block(builder, head, &contents, up);
	}
	return up;
}

struct tree_root tree_builder_write(TreeBuilder *builder, const ItemSet *items, uint64_t owner,
				    uint64_t generation)
{
	struct block_head head = { .generation = generation, .owner = owner };
	g_autoptr(GArray) level = write_leaves(builder, items, &head);
	const struct block_pointer *root;

	while (level->len > 1) {
		g_autoptr(GArray) down = g_steal_pointer(&level);

		head.level++;
		level = write_nodes(builder, down, &head);
	}
	root = &g_array_index(level, struct block_pointer, 0);
	return (struct tree_root){ root->logical, root->generation, head.level };
}
