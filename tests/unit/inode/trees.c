#include "trees.h"
#include "support/bytes.h"
#include "support/subvolume.h"

#define NODE_SIZE 4096u
#define IMAGE_LEN ((size_t)4 << 20)

static void make_store(struct trees *trees, uint64_t objectids_per_leaf, unsigned fanout)
{
	trees->builder = tree_builder_new(trees->disks->image, &trees->disks->format,
					  objectids_per_leaf, fanout);
	trees->store = disks_store(trees->disks, 1 << 20, 0, NULL);
}

void trees_begin(struct trees *trees, uint64_t objectids_per_leaf, unsigned fanout)
{
	trees->disks = disks_new(IMAGE_LEN, NODE_SIZE);
	trees->used = trees->disks->image->used;
	make_store(trees, objectids_per_leaf, fanout);
}

void trees_end(struct trees *trees)
{
	node_store_free(trees->store);
	tree_builder_free(trees->builder);
	disks_free(trees->disks);
}

void trees_restart(struct trees *trees)
{
	node_store_free(trees->store);
	tree_builder_free(trees->builder);
	trees->disks->image->used = trees->used;
	make_store(trees, 0, 0);
}

struct tree trees_put(struct trees *trees, uint64_t id, const ItemSet *items)
{
	Image *image = trees->disks->image;
	const size_t before = image->used;
	const struct tree_root root = tree_builder_write(trees->builder, items, id, id);
	struct tree tree = disks_tree(trees->store, root);

	for (unsigned i = 0; i < DISKS_N; i++)
		memcpy(trees->disks->disk[i].data + before, image->data + before,
		       image->used - before);
	tree.id = id;
	return tree;
}

struct tree trees_put_text(struct trees *trees, uint64_t id, const char *text)
{
	g_autoptr(ItemSet) items = subvolume_items(text);

	return trees_put(trees, id, items);
}

struct damage {
	const ItemSet *items;
	struct key key;
	size_t len;
	int n; /* of damages so far */
	trees_damage_fn check;
	void *user;
};

static void damage_item(struct span damaged, void *user)
{
	struct damage *damage = user;
	g_autoptr(ItemSet) items = item_set_copy(damage->items);
	const int n_truncations = (int)damage->len + 1;

	item_set_put_span(items, damage->key, damaged);
	damage->check(items, damage->n < n_truncations ? -1 : damage->n - n_truncations,
		      damage->user);
	damage->n++;
}

void trees_for_each_damage(const ItemSet *items, struct key key, trees_damage_fn check,
			   void *user)
{
	struct damage damage = { .items = items, .key = key, .check = check, .user = user };
	struct block_item item = { 0 };

	for (size_t i = 0; i < item_set_count(items); i++) {
		item = item_set_at(items, i);
		if (key_compare(&item.key, &key) == 0)
			break;
	}
	g_assert_cmpint(key_compare(&item.key, &key), ==, 0);
	damage.len = item.data.len;
	for_each_damage(item.data, damage_item, &damage);
}
