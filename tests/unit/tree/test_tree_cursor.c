#include "disks.h"
#include "support/bytes.h"

#define NODE_SIZE 4096u
#define N_ITEMS 3000u

static void put_number(ItemSet *set, struct key key, uint64_t number, size_t len)
{
	uint8_t bytes[200] = { 0 };

	store_le64(bytes, number);
	item_set_put_span(set, key, span_of(bytes, 8 + len));
}

/* Gaps everywhere: odd objectids only, and offsets. */
static ItemSet *many_items(unsigned n)
{
	ItemSet *set = item_set_new();

	for (unsigned i = 0; i < n; i++)
		put_number(set, KEY(257 + 2 * (i / 5), (uint8_t)(1 + i % 5 * 2), i * 10), i,
			   i % 150);
	return set;
}

struct fixture {
	Disks *disks;
	NodeStore *store;
	ItemSet *items;
	struct tree tree;
};

static void set_up(struct fixture *f, unsigned n, size_t cache_bytes)
{
	g_autoptr(TreeBuilder) builder = NULL;
	struct tree_root root;

	f->disks = disks_new((size_t)16 << 20, NODE_SIZE);
	f->items = many_items(n);
	builder = tree_builder_new(f->disks->image, &f->disks->format, 0, 6);
	root = tree_builder_write(builder, f->items, 256, 9);
	disks_attach(f->disks);
	f->store = disks_store(f->disks, cache_bytes, 0, NULL);
	f->tree = disks_tree(f->store, root);
}

static void tear_down(struct fixture *f)
{
	node_store_free(f->store);
	item_set_free(f->items);
	disks_free(f->disks);
}

static void assert_at(const TreeCursor *cursor, const ItemSet *items, size_t i)
{
	const struct block_item item = item_set_at(items, i);
	const struct key key = tree_cursor_key(cursor);

	g_assert_cmpint(key_compare(&key, &item.key), ==, 0);
	g_assert_true(span_equal(tree_cursor_item(cursor), item.data));
	g_assert_cmpuint(tree_cursor_leaf(cursor)->level, ==, 0);
}

/* The first item that is not less than @key. */
static size_t lower_bound(const ItemSet *items, const struct key *key)
{
	size_t low = 0, high = item_set_count(items);

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const struct key at = item_set_at(items, middle).key;

		if (key_compare(&at, key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void test_walk(void)
{
	struct fixture f;
	g_autoptr(TreeCursor) cursor = NULL;

	set_up(&f, N_ITEMS, SIZE_MAX / 2);
	g_assert_cmpuint(f.tree.level, >=, 3);
	cursor = tree_cursor_new(&f.tree, TREE_READAHEAD_NONE);
	g_assert_cmpint(tree_cursor_next(cursor), ==, -ENOENT);
	g_assert_cmpint(tree_cursor_seek(cursor, &KEY(0, 0, 0)), ==, 0);
	for (size_t i = 0; i < N_ITEMS; i++) {
		assert_at(cursor, f.items, i);
		g_assert_cmpint(tree_cursor_next(cursor), ==, i + 1 < N_ITEMS ? 0 : -ENOENT);
	}
	for (size_t i = N_ITEMS; i-- > 0;) {
		assert_at(cursor, f.items, i);
		g_assert_cmpint(tree_cursor_prev(cursor), ==, i > 0 ? 0 : -ENOENT);
	}
	assert_at(cursor, f.items, 0);
	g_assert_cmpuint(tree_cursor_descents(cursor), ==, 1);
	g_assert_cmpuint(disks_most_reads(f.disks), ==, 1);
	tree_cursor_free(g_steal_pointer(&cursor));
	tear_down(&f);
}

static struct key random_key(GRand *rand, const ItemSet *items, size_t near)
{
	const size_t n = item_set_count(items);
	const size_t i = g_rand_boolean(rand) ? (near + (size_t)g_rand_int_range(rand, 0, 60)) % n :
						(size_t)g_rand_int_range(rand, 0, (gint32)n);
	struct key key = item_set_at(items, i).key;

	switch (g_rand_int_range(rand, 0, 8)) {
	case 0:
		key.offset += 1;
		break;
	case 1:
		key.offset -= 1;
		break;
	case 2:
		key.objectid--;
		break;
	case 3:
		key = g_rand_boolean(rand) ? KEY(0, 0, 0) : KEY_MAX;
		break;
	default:
		break;
	}
	return key;
}

/* One random move; @at is where the cursor stands, or SIZE_MAX. */
static size_t random_move(GRand *rand, TreeCursor *cursor, const ItemSet *items, size_t at)
{
	const size_t n = item_set_count(items);
	const struct key key = random_key(rand, items, at == SIZE_MAX ? 0 : at);
	const size_t bound = lower_bound(items, &key);
	const struct key there = bound < n ? item_set_at(items, bound).key : KEY_MAX;
	const bool exact = bound < n && key_compare(&there, &key) == 0;
	size_t to = SIZE_MAX;
	int r;

	switch (g_rand_int_range(rand, 0, 7)) {
	case 0:
		r = tree_cursor_seek(cursor, &key);
		to = bound < n ? bound : SIZE_MAX;
		break;
	case 1:
		r = tree_cursor_seek_before(cursor, &key);
		to = exact ? bound : bound - 1;
		break;
	case 2:
		r = tree_cursor_find(cursor, &key);
		if (!exact) {
			g_assert_cmpint(r, ==, -ENOENT);
			r = tree_cursor_seek(cursor, &key);
		}
		to = bound < n ? bound : SIZE_MAX;
		break;
	case 3:
	case 4:
		r = tree_cursor_prev(cursor);
		g_assert_cmpint(r, ==, at == SIZE_MAX || at == 0 ? -ENOENT : 0);
		return r == 0 ? at - 1 : at;
	default:
		r = tree_cursor_next(cursor);
		g_assert_cmpint(r, ==, at == SIZE_MAX || at + 1 == n ? -ENOENT : 0);
		return r == 0 ? at + 1 : at;
	}
	g_assert_cmpint(r, ==, to == SIZE_MAX ? -ENOENT : 0);
	return to;
}

static void test_random(void)
{
	static const unsigned counts[] = { 1, 2, 20, 300, N_ITEMS };
	g_autoptr(GRand) rand = g_rand_new_with_seed(5);

	for (size_t c = 0; c < G_N_ELEMENTS(counts); c++) {
		struct fixture f;
		TreeCursor *cursor;
		size_t at = SIZE_MAX;

		set_up(&f, counts[c], (size_t)20 * NODE_SIZE);
		cursor = tree_cursor_new(&f.tree, TREE_READAHEAD_NONE);
		for (unsigned i = 0; i < 20000; i++) {
			at = random_move(rand, cursor, f.items, at);
			if (at != SIZE_MAX)
				assert_at(cursor, f.items, at);
		}
		tree_cursor_free(cursor);
		tear_down(&f);
	}
}

static void test_empty(void)
{
	struct fixture f;
	TreeCursor *cursor;

	set_up(&f, 0, 0);
	cursor = tree_cursor_new(&f.tree, TREE_READAHEAD_FORWARD);
	g_assert_cmpint(tree_cursor_seek(cursor, &KEY(0, 0, 0)), ==, -ENOENT);
	g_assert_cmpint(tree_cursor_seek_before(cursor, &KEY_MAX), ==, -ENOENT);
	g_assert_cmpint(tree_cursor_find(cursor, &KEY(1, 1, 1)), ==, -ENOENT);
	g_assert_cmpint(tree_cursor_next(cursor), ==, -ENOENT);
	g_assert_cmpint(tree_cursor_prev(cursor), ==, -ENOENT);
	tree_cursor_free(cursor);
	tear_down(&f);
}

/* Neighbouring seeks leave the root alone. */
static void test_finger(void)
{
	struct fixture f;
	TreeCursor *cursor;

	set_up(&f, N_ITEMS, SIZE_MAX / 2);
	cursor = tree_cursor_new(&f.tree, TREE_READAHEAD_NONE);
	for (size_t i = 0; i < N_ITEMS; i++) {
		const struct key key = item_set_at(f.items, i).key;

		g_assert_cmpint(tree_cursor_find(cursor, &key), ==, 0);
		assert_at(cursor, f.items, i);
	}
	/* At most the children of the root. */
	g_assert_cmpuint(tree_cursor_descents(cursor), <=, 6);
	tree_cursor_free(cursor);
	tear_down(&f);
}

/* The n-th read fails for every n, then works again: the cursor stays where
 * it was, and nothing is left out. */
static void test_failing_reads(void)
{
	struct fixture f;

	set_up(&f, 300, 0);
	for (int nth = 0;; nth++) {
		g_autoptr(TreeCursor) cursor = tree_cursor_new(&f.tree, TREE_READAHEAD_NONE);
		unsigned failures = 0;
		size_t i = 0;
		int r;

		/* Both copies, one after the other. */
		memset(f.disks->disk[1].data, 0, f.disks->image->len);
		atomic_store(&f.disks->reads_until_failure, nth);
		while ((r = tree_cursor_seek(cursor, &KEY(0, 0, 0))) < 0) {
			g_assert_cmpint(r, ==, -EBADMSG);
			failures++;
		}
		do {
			assert_at(cursor, f.items, i++);
			while ((r = tree_cursor_next(cursor)) < 0 && r != -ENOENT) {
				g_assert_cmpint(r, ==, -EBADMSG);
				assert_at(cursor, f.items, i - 1);
				failures++;
			}
		} while (r == 0);
		g_assert_cmpuint(i, ==, 300);
		g_assert_cmpuint(failures, <=, 1);
		if (failures == 0)
			break;
	}
	tear_down(&f);
}

/* A forged tree of which every block is sound in itself. */
struct forged {
	Disks *disks;
	uint64_t at[3];
};

static void forged_node(struct forged *f, unsigned i, uint8_t level, struct block_pointer a,
			struct block_pointer b)
{
	const struct block_head head = { .logical = f->at[i], .generation = 9, .level = level };
	const struct block_pointer pointers[2] = { a, b };
	g_autofree uint8_t *block = build_node(&f->disks->format, &head, pointers, 2);

	image_write(f->disks->image, f->at[i], block, NODE_SIZE);
}

static void forged_leaf(struct forged *f, unsigned i, uint64_t first, uint64_t last)
{
	const struct block_head head = { .logical = f->at[i], .generation = 9 };
	const struct block_item items[2] = { { .key = KEY(first, 1, 0) },
					     { .key = KEY(last, 1, 0) } };
	g_autofree uint8_t *block = build_leaf(&f->disks->format, &head, items, 2);

	image_write(f->disks->image, f->at[i], block, NODE_SIZE);
}

static struct block_pointer pointer_to(const struct forged *f, unsigned i, uint64_t objectid)
{
	return (struct block_pointer){ .key = KEY(objectid, 1, 0), .logical = f->at[i],
				       .generation = 9 };
}

static void assert_refused(struct forged *f, uint8_t level, int ret_first, int ret_walk)
{
	g_autoptr(NodeStore) store = NULL;
	g_autoptr(TreeCursor) cursor = NULL;
	struct tree tree;
	int r;

	disks_attach(f->disks);
	store = disks_store(f->disks, SIZE_MAX / 2, 0, NULL);
	tree = disks_tree(store, (struct tree_root){ f->at[0], 9, level });
	cursor = tree_cursor_new(&tree, TREE_READAHEAD_NONE);
	r = tree_cursor_seek(cursor, &KEY(0, 0, 0));
	g_assert_cmpint(r, ==, ret_first);
	while (r == 0)
		r = tree_cursor_next(cursor);
	g_assert_cmpint(r, ==, ret_walk);
	tree_cursor_free(g_steal_pointer(&cursor));
}

static void test_forged(void)
{
	struct forged f = { .disks = disks_new((size_t)4 << 20, NODE_SIZE) };

	for (unsigned i = 0; i < 3; i++)
		f.at[i] = image_alloc(f.disks->image, NODE_SIZE);
	forged_node(&f, 0, 1, pointer_to(&f, 1, 5), pointer_to(&f, 2, 8));
	forged_leaf(&f, 1, 5, 7);
	forged_leaf(&f, 2, 8, 9);
	assert_refused(&f, 1, 0, -ENOENT); /* sound */
	assert_refused(&f, 2, -EUCLEAN, -EUCLEAN);
	assert_refused(&f, 0, -EUCLEAN, -EUCLEAN);
	assert_refused(&f, 8, -EUCLEAN, -EUCLEAN);
	assert_refused(&f, 255, -EUCLEAN, -EUCLEAN);
	forged_leaf(&f, 1, 5, 8); /* reaches into its neighbour */
	assert_refused(&f, 1, -EUCLEAN, -EUCLEAN);
	forged_leaf(&f, 1, 6, 7); /* not the key of its pointer */
	assert_refused(&f, 1, -EUCLEAN, -EUCLEAN);
	forged_leaf(&f, 1, 5, 7);
	forged_node(&f, 0, 1, pointer_to(&f, 1, 5), pointer_to(&f, 1, 8)); /* twice the same */
	assert_refused(&f, 1, 0, -EUCLEAN);
	forged_node(&f, 0, 2, pointer_to(&f, 0, 5), pointer_to(&f, 0, 8)); /* to itself */
	assert_refused(&f, 2, -EUCLEAN, -EUCLEAN);
	forged_node(&f, 0, 2, pointer_to(&f, 1, 5), pointer_to(&f, 2, 8)); /* leaves too high */
	assert_refused(&f, 2, -EUCLEAN, -EUCLEAN);
	disks_free(f.disks);
}

/* Read ahead or not: the same items, each block read once. */
static void test_readahead(void)
{
	struct fixture f;
	g_autoptr(Workers) workers = workers_new(3, 100);
	g_autoptr(NodeStore) store = NULL;
	TreeCursor *cursor;
	size_t i = 0;
	int r;

	set_up(&f, N_ITEMS, 0);
	store = disks_store(f.disks, (size_t)100 * NODE_SIZE, (size_t)16 * NODE_SIZE, workers);
	f.tree.store = store;
	cursor = tree_cursor_new(&f.tree, TREE_READAHEAD_FORWARD);
	atomic_store(&f.disks->delay_us, 100);
	for (r = tree_cursor_seek(cursor, &KEY(0, 0, 0)); r == 0; r = tree_cursor_next(cursor))
		assert_at(cursor, f.items, i++);
	g_assert_cmpint(r, ==, -ENOENT);
	g_assert_cmpuint(i, ==, N_ITEMS);
	g_assert_cmpuint(disks_most_reads(f.disks), ==, 1);
	g_assert_cmpuint(node_store_stats(store).queued, >, 0);
	tree_cursor_free(cursor);
	node_store_free(g_steal_pointer(&store));
	tear_down(&f);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/tree_cursor/walk", test_walk);
	g_test_add_func("/tree_cursor/random", test_random);
	g_test_add_func("/tree_cursor/empty", test_empty);
	g_test_add_func("/tree_cursor/finger", test_finger);
	g_test_add_func("/tree_cursor/failing_reads", test_failing_reads);
	g_test_add_func("/tree_cursor/forged", test_forged);
	g_test_add_func("/tree_cursor/readahead", test_readahead);
	return g_test_run();
}
