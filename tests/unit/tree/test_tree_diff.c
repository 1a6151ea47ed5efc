#include "btrfs/tree/tree_diff.h"
#include "disks.h"
#include "support/bytes.h"

#define NODE_SIZE 4096u
#define IMAGE_LEN ((size_t)16 << 20)

static const struct key from_start = { 0 };

/* Random trees and changed copies of them */

static struct key random_item_key(GRand *rand, unsigned n_objects)
{
	return KEY(256 + (uint64_t)g_rand_int_range(rand, 0, (gint32)n_objects),
		   (uint8_t)g_rand_int_range(rand, 1, 4),
		   (uint64_t)g_rand_int_range(rand, 0, 3));
}

static void put_random(GRand *rand, ItemSet *set, struct key key)
{
	uint8_t bytes[120];
	const size_t len = (size_t)g_rand_int_range(rand, 0, sizeof(bytes));

	fill_noise(bytes, sizeof(bytes), g_rand_int(rand));
	item_set_put_span(set, key, span_of(bytes, len));
}

static ItemSet *random_items(GRand *rand, unsigned n, unsigned n_objects)
{
	ItemSet *set = item_set_new();

	for (unsigned i = 0; i < n; i++)
		put_random(rand, set, random_item_key(rand, n_objects));
	return set;
}

static ItemSet *changed_items(GRand *rand, const ItemSet *from, unsigned n_changes,
			      unsigned n_objects)
{
	ItemSet *set = item_set_copy(from);

	for (unsigned i = 0; i < n_changes; i++) {
		const size_t n = item_set_count(set);
		const size_t at = n ? (size_t)g_rand_int_range(rand, 0, (gint32)n) : 0;

		if (n > 0 && g_rand_int_range(rand, 0, 3) == 0)
			item_set_remove(set, item_set_at(set, at).key);
		else if (n > 0 && g_rand_boolean(rand))
			put_random(rand, set, item_set_at(set, at).key);
		else
			put_random(rand, set, random_item_key(rand, n_objects));
	}
	return set;
}

/* What the comparison should say, by comparing everything */

static enum tree_change plain_event(const ItemSet *new_set, const ItemSet *old_set, size_t *i,
				    size_t *j, struct tree_event *event)
{
	const bool has_new = *i < item_set_count(new_set), has_old = *j < item_set_count(old_set);
	struct block_item a = { .key = KEY_MAX }, b = { .key = KEY_MAX };
	int order;

	if (has_new)
		a = item_set_at(new_set, *i);
	if (has_old)
		b = item_set_at(old_set, *j);
	order = key_compare(&a.key, &b.key);
	*event = (struct tree_event){ .key = order <= 0 ? a.key : b.key };
	if (order <= 0) {
		event->new_item = a.data;
		++*i;
	}
	if (order >= 0) {
		event->old_item = b.data;
		++*j;
	}
	if (order != 0)
		return order < 0 ? TREE_ADDED : TREE_REMOVED;
	return span_equal(a.data, b.data) ? TREE_SAME : TREE_CHANGED;
}

static bool next_plain(const ItemSet *new_set, const ItemSet *old_set, const struct key *first,
		       size_t *i, size_t *j, struct tree_event *event)
{
	while (*i < item_set_count(new_set) || *j < item_set_count(old_set)) {
		event->change = plain_event(new_set, old_set, i, j, event);
		if (key_compare(&event->key, first) >= 0 && event->change != TREE_SAME)
			return true;
	}
	return false;
}

static void assert_leaf(const struct disks *disks, const struct tree_event *event)
{
	const uint8_t *leaf = disks->image->data + event->leaf_logical;
	const Node node = { .block = leaf, .n_items = load_le32(leaf + 96) };
	const struct key first = node_key(&node, 0);

	if (event->change == TREE_REMOVED) {
		g_assert_cmpuint(event->leaf_logical, ==, 0);
		g_assert_cmpuint(event->leaf_owner, ==, 0);
		g_assert_false(event->first_in_leaf);
		return;
	}
	g_assert_cmpuint(event->leaf_owner, ==, load_le64(leaf + 88));
	g_assert_cmpuint(node_lower_bound(&node, &event->key), <, node.n_items);
	g_assert_true(event->first_in_leaf == (key_compare(&first, &event->key) == 0));
}

static void assert_events(const struct disks *disks, TreeDiff *diff, const ItemSet *new_set,
			  const ItemSet *old_set, const struct key *first)
{
	struct tree_event event, plain;
	struct key last = KEY(0, 0, 0);
	size_t i = 0, j = 0;
	int r;

	while ((r = tree_diff_next(diff, &event)) == 1) {
		g_assert_cmpint(key_compare(&last, &event.key), <, 0);
		g_assert_cmpint(key_compare(&event.key, first), >=, 0);
		last = event.key;
		assert_leaf(disks, &event);
		if (event.change == TREE_SAME) {
			g_assert_true(span_equal(event.new_item, event.old_item));
			continue;
		}
		g_assert_true(next_plain(new_set, old_set, first, &i, &j, &plain));
		g_assert_cmpint(key_compare(&event.key, &plain.key), ==, 0);
		g_assert_cmpint(event.change, ==, plain.change);
		g_assert_true(span_equal(event.new_item, plain.new_item));
		g_assert_true(span_equal(event.old_item, plain.old_item));
	}
	g_assert_cmpint(r, ==, 0);
	g_assert_false(next_plain(new_set, old_set, first, &i, &j, &plain));
	g_assert_cmpint(tree_diff_next(diff, &event), ==, 0);
}

/* Which blocks are shared, found by walking the image */

static void mark_blocks(const struct disks *disks, uint64_t logical, uint8_t mark, uint8_t *marks)
{
	const uint8_t *block = disks->image->data + logical;
	const Node node = { .block = block, .n_items = load_le32(block + 96),
			    .level = block[100] };

	marks[logical / NODE_SIZE] |= mark;
	for (unsigned slot = 0; node.level > 0 && slot < node.n_items; slot++)
		mark_blocks(disks, node_child_logical(&node, slot), mark, marks);
}

/* Every block that only one tree has is read once, and no other. */
static void assert_reads(const struct disks *disks, struct tree_root new_root,
			 struct tree_root old_root)
{
	g_autofree uint8_t *marks = g_new0(uint8_t, IMAGE_LEN / NODE_SIZE);

	mark_blocks(disks, new_root.logical, 1, marks);
	mark_blocks(disks, old_root.logical, 2, marks);
	/* Roots have no pointers to be compared. */
	marks[new_root.logical / NODE_SIZE] |= 4;
	marks[old_root.logical / NODE_SIZE] |= 4;
	for (uint64_t at = 0; at < IMAGE_LEN; at += NODE_SIZE) {
		const uint8_t mark = marks[at / NODE_SIZE];

		g_assert_cmpuint(disks_reads_of(disks, at), <=, 1);
		if (mark == 0 || mark == 3)
			g_assert_cmpuint(disks_reads_of(disks, at), ==, 0);
	}
}

struct pair {
	Disks *disks;
	ItemSet *new_set, *old_set;
	struct tree_root new_root, old_root;
};

static void pair_make(struct pair *pair, GRand *rand, unsigned n, unsigned n_changes)
{
	const unsigned n_objects = MAX(n / 4, 2);
	g_autoptr(TreeBuilder) builder = NULL;

	pair->disks = disks_new(IMAGE_LEN, NODE_SIZE);
	builder = tree_builder_new(pair->disks->image, &pair->disks->format,
				   g_rand_boolean(rand) ? 4 : 0,
				   (unsigned)g_rand_int_range(rand, 3, 9));
	pair->old_set = random_items(rand, n, n_objects);
	pair->new_set = changed_items(rand, pair->old_set, n_changes, n_objects);
	pair->old_root = tree_builder_write(builder, pair->old_set, 256, 10);
	pair->new_root = tree_builder_write(builder, pair->new_set, 257, 20);
	disks_attach(pair->disks);
}

static void pair_clear(struct pair *pair)
{
	item_set_free(pair->new_set);
	item_set_free(pair->old_set);
	disks_free(pair->disks);
}

static void pair_swap(struct pair *pair)
{
	const struct tree_root root = pair->new_root;
	ItemSet *set = pair->new_set;

	pair->new_set = pair->old_set;
	pair->old_set = set;
	pair->new_root = pair->old_root;
	pair->old_root = root;
}

static void compare_pair(const struct pair *pair, const struct key *first, Workers *workers)
{
	g_autoptr(NodeStore) store = disks_store(pair->disks, (size_t)NODE_SIZE * 1000,
						 (size_t)NODE_SIZE * 20, workers);
	const struct tree new_tree = disks_tree(store, pair->new_root);
	const struct tree old_tree = disks_tree(store, pair->old_root);
	TreeDiff *diff = tree_diff_new(&new_tree, &old_tree, first);

	disks_forget_reads(pair->disks);
	assert_events(pair->disks, diff, pair->new_set, pair->old_set, first);
	tree_diff_free(diff);
	node_store_free(g_steal_pointer(&store));
	if (key_compare(first, &from_start) == 0)
		assert_reads(pair->disks, pair->new_root, pair->old_root);
}

static void test_random(void)
{
	static const unsigned sizes[] = { 0, 1, 10, 100, 700, 3000 };
	g_autoptr(GRand) rand = g_rand_new_with_seed(11);
	g_autoptr(Workers) workers = workers_new(2, 50);

	for (unsigned round = 0; round < 120; round++) {
		const unsigned n = sizes[round % G_N_ELEMENTS(sizes)];
		struct pair pair;
		struct key first;

		pair_make(&pair, rand, n, (unsigned)g_rand_int_range(rand, 0, 30));
		first = random_item_key(rand, MAX(n / 4, 2));
		compare_pair(&pair, &from_start, NULL);
		compare_pair(&pair, &from_start, workers);
		compare_pair(&pair, &first, NULL);
		pair_swap(&pair);
		compare_pair(&pair, &from_start, NULL);
		compare_pair(&pair, &first, workers);
		pair_clear(&pair);
	}
}

/* Trees that have nothing to do with each other, of any heights. */
static void test_unrelated(void)
{
	static const unsigned sizes[] = { 0, 1, 30, 500, 2000 };
	g_autoptr(GRand) rand = g_rand_new_with_seed(12);

	for (unsigned i = 0; i < 25; i++) {
		struct pair pair = { .disks = disks_new(IMAGE_LEN, NODE_SIZE) };
		TreeBuilder *builder =
			tree_builder_new(pair.disks->image, &pair.disks->format, 0, 5);

		pair.new_set = random_items(rand, sizes[i / 5], 100);
		pair.old_set = random_items(rand, sizes[i % 5], 400);
		pair.new_root = tree_builder_write(builder, pair.new_set, 256, 5);
		pair.old_root = tree_builder_write(builder, pair.old_set, 257, 6);
		disks_attach(pair.disks);
		compare_pair(&pair, &from_start, NULL);
		tree_builder_free(builder);
		pair_clear(&pair);
	}
}

static void test_no_old_tree(void)
{
	g_autoptr(GRand) rand = g_rand_new_with_seed(13);
	g_autoptr(Workers) workers = workers_new(2, 50);
	g_autoptr(ItemSet) nothing = item_set_new();
	g_autoptr(NodeStore) store = NULL;
	const struct key first = KEY(300, 2, 1);
	struct pair pair;
	struct tree tree;
	TreeDiff *diff;

	pair_make(&pair, rand, 2000, 5);
	store = disks_store(pair.disks, (size_t)NODE_SIZE * 100, (size_t)NODE_SIZE * 20, workers);
	tree = disks_tree(store, pair.new_root);
	diff = tree_diff_new(&tree, NULL, &first);
	atomic_store(&pair.disks->delay_us, 100);
	assert_events(pair.disks, diff, pair.new_set, nothing, &first);
	tree_diff_free(diff);
	g_assert_cmpuint(node_store_stats(store).queued, >, 0);
	g_assert_cmpuint(disks_most_reads(pair.disks), ==, 1);
	node_store_free(g_steal_pointer(&store));
	pair_clear(&pair);
}

static void test_equal_roots(void)
{
	g_autoptr(GRand) rand = g_rand_new_with_seed(14);
	struct pair pair;

	pair_make(&pair, rand, 500, 0);
	g_assert_cmpuint(pair.new_root.logical, ==, pair.old_root.logical);
	compare_pair(&pair, &from_start, NULL);
	g_assert_cmpuint(disks_reads(pair.disks), ==, 0);
	pair_clear(&pair);
}

/* What is read ahead would have been read anyway, although nothing but the
 * generations in the pointers can tell. */
static void test_readahead(void)
{
	g_autoptr(GRand) rand = g_rand_new_with_seed(15);
	g_autoptr(Workers) workers = workers_new(3, 50);

	for (unsigned round = 0; round < 10; round++) {
		struct pair pair;
		unsigned without;

		pair_make(&pair, rand, 3000, 100);
		compare_pair(&pair, &from_start, NULL);
		without = disks_reads(pair.disks);
		compare_pair(&pair, &from_start, workers);
		g_assert_cmpuint(disks_reads(pair.disks), ==, without);
		pair_clear(&pair);
	}
}

/* Whichever read fails: what comes before is right, and the error stays. */
static void failing(struct pair *pair, int nth, bool *ret_failed)
{
	g_autoptr(NodeStore) store = disks_store(pair->disks, 0, 0, NULL);
	const struct tree new_tree = disks_tree(store, pair->new_root);
	const struct tree old_tree = disks_tree(store, pair->old_root);
	TreeDiff *diff = tree_diff_new(&new_tree, &old_tree, &from_start);
	struct tree_event event, plain;
	size_t i = 0, j = 0;
	int r;

	memset(pair->disks->disk[1].data, 0, IMAGE_LEN);
	atomic_store(&pair->disks->reads_until_failure, nth);
	while ((r = tree_diff_next(diff, &event)) == 1) {
		if (event.change == TREE_SAME)
			continue;
		g_assert_true(next_plain(pair->new_set, pair->old_set, &from_start, &i, &j,
					 &plain));
		g_assert_cmpint(key_compare(&event.key, &plain.key), ==, 0);
	}
	*ret_failed = r < 0;
	g_assert_cmpint(r, ==, r < 0 ? -EBADMSG : 0);
	g_assert_cmpint(tree_diff_next(diff, &event), ==, r);
	g_assert_cmpint(tree_diff_next(diff, &event), ==, r);
	tree_diff_free(diff);
	node_store_free(g_steal_pointer(&store));
}

static void test_failing_reads(void)
{
	g_autoptr(GRand) rand = g_rand_new_with_seed(16);
	bool failed = true;
	struct pair pair;
	int nth = 0;

	pair_make(&pair, rand, 300, 20);
	for (; failed; nth++)
		failing(&pair, nth, &failed);
	g_assert_cmpint(nth, >, 10);
	pair_clear(&pair);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/tree_diff/random", test_random);
	g_test_add_func("/tree_diff/unrelated", test_unrelated);
	g_test_add_func("/tree_diff/no_old_tree", test_no_old_tree);
	g_test_add_func("/tree_diff/equal_roots", test_equal_roots);
	g_test_add_func("/tree_diff/readahead", test_readahead);
	g_test_add_func("/tree_diff/failing_reads", test_failing_reads);
	return g_test_run();
}
