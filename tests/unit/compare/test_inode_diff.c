#include "compare/inode_diff.h"
#include "support/items.h"
#include "support/subvolume.h"
#include "unit/inode/trees.h"

/* docs/send-order.md, sections 2 and 3.1. */

static const char *const changes[] = {
	[TREE_SAME] = "=", [TREE_ADDED] = "+", [TREE_REMOVED] = "-", [TREE_CHANGED] = "*"
};
static const char *const fates[] = { [INODE_IGNORED] = "ignored",
				     [INODE_NEW] = "new",
				     [INODE_CHANGED] = "changed",
				     [INODE_DELETED] = "deleted",
				     [INODE_REPLACED] = "replaced" };

static const char *type_name(uint8_t type)
{
	switch (type) {
	case BTRFS_INODE_ITEM_KEY:
		return "inode";
	case BTRFS_INODE_REF_KEY:
		return "ref";
	case BTRFS_INODE_EXTREF_KEY:
		return "extref";
	case BTRFS_XATTR_ITEM_KEY:
		return "xattr";
	case BTRFS_EXTENT_DATA_KEY:
		return "extent";
	case BTRFS_ORPHAN_ITEM_KEY:
		return "orphan";
	default:
		return NULL; /* entries of directories are left out */
	}
}

static void assert_sides(const struct inode_event *event)
{
	const struct inode_change *inode = &event->inode;

	g_assert_cmpuint(inode->ino, ==, event->item.key.objectid);
	if (event->item.change == TREE_ADDED)
		g_assert_false(inode->had_links || inode->old_item.generation);
	if (event->item.change == TREE_REMOVED)
		g_assert_false(inode->has_links || inode->new_item.generation);
	g_assert_true(inode->has_links == (inode->new_item.nlink > 0));
	g_assert_true(inode->had_links == (inode->old_item.nlink > 0));
}

/* The top directory changes with the number of its names: left out. */
static bool is_size_of_top(const struct inode_event *event)
{
	return event->starts_inode && event->inode.ino == BTRFS_FIRST_FREE_OBJECTID &&
	       event->inode.old_item.generation == event->inode.new_item.generation;
}

/* "258 inode * changed", an event a line. */
static int list(struct trees *trees, const char *old_text, const char *new_text, GString *ret)
{
	struct tree old_tree, new_tree;
	g_autoptr(InodeDiff) diff = NULL;
	struct inode_event event;
	int r;

	if (old_text)
		old_tree = trees_put_text(trees, 299, old_text);
	new_tree = trees_put_text(trees, 300, new_text);
	diff = inode_diff_new(&new_tree, old_text ? &old_tree : NULL);
	g_assert_true(!inode_diff_old_side(diff) == !old_text);
	while ((r = inode_diff_next(diff, &event)) == 1) {
		const struct key *key = &event.item.key;
		const char *name = type_name(key->type);

		g_assert_true(event.starts_inode == (key->type == BTRFS_INODE_ITEM_KEY));
		if (event.starts_inode)
			assert_sides(&event);
		if (!name || is_size_of_top(&event))
			continue;
		g_string_append_printf(ret, "%" G_GINT64_FORMAT " %s %s%s%s\n",
				       (gint64)key->objectid, name, changes[event.item.change],
				       event.starts_inode ? " " : "",
				       event.starts_inode ? fates[event.inode.fate] : "");
	}
	return r;
}

static void check_with(uint64_t objectids_per_leaf, unsigned fanout, const char *old_text,
		       const char *new_text, const char *expected)
{
	GString *events = g_string_new(NULL);
	struct trees trees;

	trees_begin(&trees, objectids_per_leaf, fanout);
	g_assert_cmpint(list(&trees, old_text, new_text, events), ==, 0);
	g_assert_cmpstr(events->str, ==, expected);
	g_string_free(events, TRUE);
	trees_end(&trees);
}

/* The same, however the trees are cut. */
static void check(const char *old_text, const char *new_text, const char *expected)
{
	check_with(0, 0, old_text, new_text, expected);
	check_with(1, 2, old_text, new_text, expected);
	check_with(2, 3, old_text, new_text, expected);
}

static void test_full(void)
{
	check(NULL, "257 file 7 a xattr=user.a:1 data=0+4k@16m\n258 file 7 links=0",
	      "256 inode + new\n256 ref +\n"
	      "257 inode + new\n257 ref +\n257 xattr +\n257 extent +\n"
	      "258 inode + ignored\n"
	      "-5 orphan +\n");
}

/* A full comparison begins at the root directory, one with an old tree at 0. */
static void test_first_key(void)
{
	g_autoptr(ItemSet) items = subvolume_items("257 file 7 a");
	struct trees trees;
	struct tree tree, old_tree;
	struct inode_event event;

	item_set_put_span(items, KEY(6, BTRFS_XATTR_ITEM_KEY, 0), span_str("before"));
	trees_begin(&trees, 0, 0);
	old_tree = trees_put_text(&trees, 299, "257 file 7 a");
	tree = trees_put(&trees, 300, items);
	for (unsigned full = 0; full < 2; full++) {
		g_autoptr(InodeDiff) diff = inode_diff_new(&tree, full ? NULL : &old_tree);

		g_assert_cmpint(inode_diff_next(diff, &event), ==, 1);
		g_assert_cmpuint(event.item.key.objectid, ==, full ? 256 : 6);
		if (!full)
			g_assert_cmpint(inode_diff_next(diff, &event), ==, 0);
	}
	trees_end(&trees);
}

static void test_fates(void)
{
	static const struct {
		const char *old_line, *new_line, *events;
	} cases[] = {
		{ NULL, "258 file 7 b", "258 inode + new\n258 ref +\n" },
		{ NULL, "258 file 7 links=0", "258 inode + ignored\n-5 orphan +\n" },
		{ "258 file 7 b", NULL, "258 inode - deleted\n258 ref -\n" },
		{ "258 file 7 links=0", NULL, "258 inode - deleted\n-5 orphan -\n" },
		{ "258 file 7 b", "258 file 7 b !", "258 inode * changed\n" },
		{ "258 file 7 b", "258 file 7 c !", "258 inode * changed\n258 ref *\n" },
		{ "258 file 7 b", "258 file 7 c", "258 ref *\n" },
		{ "258 file 7 b", "258 file 8 b", "258 inode * replaced\n" },
		{ "258 file 7 b", "258 dir 8 b", "258 inode * replaced\n" },
		{ "258 file 7 b", "258 file 7 links=0",
		  "258 inode * replaced\n258 ref -\n-5 orphan +\n" },
		{ "258 file 7 links=0", "258 file 7 b",
		  "258 inode * replaced\n258 ref +\n-5 orphan -\n" },
		{ "258 file 7 links=0", "258 file 7 links=0 !", "258 inode * ignored\n" },
		{ "258 file 7 links=0", "258 file 8 links=0", "258 inode * ignored\n" },
		{ "258 file 7 b", "258 file 7 b", "" },
		{ "258 file 7 b xattr=user.a:1", "258 file 7 b xattr=user.a:2 !",
		  "258 inode * changed\n258 xattr *\n" },
		{ "258 file 7 b xattr=user.a:1", "258 file 7 b xattr=user.a:1", "" },
		{ "258 file 7 b +c", "258 file 7 b +d !",
		  "258 inode * changed\n258 extref -\n258 extref +\n" },
		{ "258 file 7 b +c", "258 file 7 b !", "258 inode * changed\n258 extref -\n" },
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *old_text =
			g_strdup_printf("257 file 7 a\n%s", cases[i].old_line ?: "");
		g_autofree char *new_text =
			g_strdup_printf("257 file 7 a\n%s", cases[i].new_line ?: "");
		g_test_message("%s -> %s", old_text, new_text);
		check(old_text, new_text, cases[i].events);
	}
}

/* Equal items are passed over, but for extents and for references into a
 * directory that is another one now. */
static void test_same_items(void)
{
	/* The file's leaf is not shared. */
	check_with(0, 0, "257 file 7 a xattr=user.a:1 data=0+4k@16m\n258 file 7 b",
		   "257 file 7 a xattr=user.a:1 data=0+4k@16m\n258 file 7 b !",
		   "257 extent =\n258 inode * changed\n");
	check_with(0, 0, "257 file 7 d/a\n258 dir 8 d", "257 file 7 d/a\n258 dir 9 d",
	      "257 ref *\n258 inode * replaced\n");
	check_with(0, 0, "257 file 7 a +d/a +e/a\n258 dir 8 d\n259 dir 7 e",
	      "257 file 7 a +d/a +e/a\n258 dir 9 d\n259 dir 7 e",
	      "257 extref *\n258 inode * replaced\n");
	/* But not in a leaf that is shared. */
	check_with(1, 0, "257 file 7 d/a\n258 dir 8 d", "257 file 7 d/a\n258 dir 9 d",
		   "258 inode * replaced\n");
	/* The same generation: the same directory. */
	check("257 file 7 d/a\n258 dir 8 d", "257 file 7 d/a\n258 dir 8 d uid=4",
	      "258 inode * changed\n");
	/* The root directory is always the same one. */
	check("256 dir 1", "256 dir 2", "256 inode * changed\n256 ref *\n");
}

/* Inodes whose items fill many leaves. */
static void test_across_leaves(void)
{
	g_autoptr(GString) old_text = g_string_new("257 file 7 a\n258 file 7 f");
	g_autoptr(GString) new_text = g_string_new("257 file 7 a\n258 file 7 f !");
	g_autoptr(GString) expected = g_string_new("258 inode * changed\n");

	for (unsigned i = 0; i < 200; i++) {
		g_string_append_printf(old_text, " data=%uk+4k@%um", i * 4, 16 + i);
		g_string_append_printf(new_text, " data=%uk+4k@%um", i * 4,
				       16 + i + (i % 50 == 7 ? 1000 : 0));
		g_string_append(expected, i % 50 == 7 ? "258 extent *\n" : "258 extent =\n");
	}
	g_string_append(old_text, "\n300 file 7 z");
	g_string_append(expected, "300 inode - deleted\n300 ref -\n");
	check_with(0, 4, old_text->str, new_text->str, expected->str);
}

/* A subtree that both share is not read, and gives no events. */
static void test_shared(void)
{
	g_autoptr(GString) old_text = g_string_new(NULL), new_text = NULL, events = NULL;
	struct trees trees;

	for (unsigned i = 0; i < 200; i++)
		g_string_append_printf(old_text, "%u file 7 f%u data=0+4k@16m\n", 1000 + i, i);
	new_text = g_string_new(old_text->str);
	g_string_append(new_text, "2000 fifo 7 p");
	events = g_string_new(NULL);
	trees_begin(&trees, 4, 4);
	g_assert_cmpint(list(&trees, old_text->str, new_text->str, events), ==, 0);
	g_assert_cmpstr(events->str, ==, "2000 inode + new\n2000 ref +\n");
	g_assert_cmpuint(disks_reads(trees.disks), <, tree_builder_written(trees.builder) / 2);
	trees_end(&trees);
}

/* ---- damage ---- */

struct damage_test {
	struct trees trees;
	const ItemSet *good;
	bool in_new;
	struct key key;
	unsigned n_errors;
};

static void compare_damaged(const ItemSet *damaged, int bit, void *user)
{
	struct damage_test *test = user;
	struct tree old_tree, new_tree;
	InodeDiff *diff;
	struct inode_event event;
	bool seen = false;
	int r;

	trees_restart(&test->trees);
	old_tree = trees_put(&test->trees, 299, test->in_new ? test->good : damaged);
	new_tree = trees_put(&test->trees, 300, test->in_new ? damaged : test->good);
	diff = inode_diff_new(&new_tree, &old_tree);
	while ((r = inode_diff_next(diff, &event)) == 1)
		seen = seen || (key_compare(&event.item.key, &test->key) == 0 &&
				event.item.change == TREE_CHANGED);
	g_assert_true(r == 0 || r == -EUCLEAN);
	/* It is seen to differ, or an error. */
	if (bit >= 0)
		g_assert_true(seen != (r == -EUCLEAN));
	test->n_errors += r != 0;
	inode_diff_free(diff);
}

static void test_damage(void)
{
	g_autoptr(ItemSet) good = subvolume_items("257 file 7 a +b xattr=user.a:1 data=0+4k@16m");

	for (size_t i = 0; i < item_set_count(good); i++) {
		for (unsigned in_new = 0; in_new < 2; in_new++) {
			struct damage_test test = { .good = good,
						    .in_new = in_new,
						    .key = item_set_at(good, i).key };

			if (test.key.objectid != 257)
				continue;
			trees_begin(&test.trees, 0, 0);
			trees_for_each_damage(good, test.key, compare_damaged, &test);
			if (test.key.type == BTRFS_INODE_ITEM_KEY)
				g_assert_cmpuint(test.n_errors, >=, 160);
			trees_end(&test.trees);
		}
	}
}

/* Equal items that cannot be parsed: of references only they are looked into. */
static void test_equal_damage(void)
{
	g_autoptr(ItemSet) items = subvolume_items("257 file 7 a");
	g_autoptr(ItemSet) touched = NULL;
	struct tree old_tree, new_tree;
	struct inode_event event;
	struct trees trees;
	InodeDiff *diff;

	item_set_put_span(items, KEY(257, BTRFS_INODE_REF_KEY, 256), span_str("bad"));
	touched = item_set_copy(items);
	item_set_put_span(touched, KEY(300, BTRFS_XATTR_ITEM_KEY, 0), span_str("more"));
	trees_begin(&trees, 0, 0);
	old_tree = trees_put(&trees, 299, items);
	new_tree = trees_put(&trees, 300, touched);
	diff = inode_diff_new(&new_tree, &old_tree);
	g_assert_cmpint(inode_diff_next(diff, &event), ==, -EUCLEAN);
	inode_diff_free(diff);
	trees_end(&trees);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/inode_diff/full", test_full);
	g_test_add_func("/inode_diff/first_key", test_first_key);
	g_test_add_func("/inode_diff/fates", test_fates);
	g_test_add_func("/inode_diff/same_items", test_same_items);
	g_test_add_func("/inode_diff/across_leaves", test_across_leaves);
	g_test_add_func("/inode_diff/shared", test_shared);
	g_test_add_func("/inode_diff/damage", test_damage);
	g_test_add_func("/inode_diff/equal_damage", test_equal_damage);
	return g_test_run();
}
