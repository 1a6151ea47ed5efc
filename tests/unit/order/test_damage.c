#include "send/order/sender.h"
#include "support/extent_tree.h"
#include "support/items.h"
#include "support/opened.h"
#include "support/subvolume.h"
#include "unit/inode/trees.h"

/*
 * The sender on trees whose items are damaged: it ends, with an error or with
 * commands.
 */

#define MOST_COMMANDS 1000u

static const char parent[] = "256 dir 1\n"
			     "257 dir 7 a\n"
			     "258 dir 7 a/b\n"
			     "259 file 7 a/f data=0+64k@16m\n"
			     "260 dir 7 c\n"
			     "261 file 7 c/gone\n"
			     "262 file 8 r\n";
static const char snapshot[] = "256 dir 1 !\n"
			       "257 dir 7 c2/a !\n"
			       "258 dir 7 b !\n"
			       "259 file 7 a2 +b/f ! xattr=user.a:1 data=0+32k@16m "
			       "data=32k+8k@32m data=64k+4k@48m\n"
			       "260 dir 7 c2 !\n"
			       "262 file 9 r\n"
			       "263 link 7 l to=target\n";

struct damage_test {
	struct opened opened; /* for the references of extents: there are none */
	struct trees trees;
	const ItemSet *good;
	bool in_snapshot;
	unsigned n_errors, n_commands;
};

static int count(void *user, const struct command *command)
{
	struct damage_test *test = user;

	g_assert_cmpuint(command->path.len, <=, 4095);
	return ++test->n_commands > MOST_COMMANDS ? -E2BIG : 0;
}

static void send_damaged(const ItemSet *damaged, int bit, void *user)
{
	struct damage_test *test = user;
	const struct command_sink sink = { .put = count, .user = test };
	struct send_request request = {
		.fs = test->opened.fs,
		.name = span_str("snapshot"),
	};
	struct send_root other = { 0 };
	int r;

	(void)bit;
	trees_restart(&test->trees);
	other.tree = trees_put(&test->trees, 299, test->in_snapshot ? test->good : damaged);
	request.snapshot.tree =
		trees_put(&test->trees, 300, test->in_snapshot ? damaged : test->good);
	request.parent = &other;
	request.clone_sources = &other;
	request.n_clone_sources = 1;
	test->n_commands = 0;
	r = sender_run(&request, &sink);
	g_assert_true(r == 0 || r == -EUCLEAN || r == -ENOENT || r == -EIO || r == -EEXIST ||
		      r == -ENAMETOOLONG || r == -EOPNOTSUPP);
	test->n_errors += r != 0;
}

static void damage_all(bool in_snapshot)
{
	g_autoptr(ItemSet) old_items = subvolume_items(parent);
	g_autoptr(ItemSet) new_items = subvolume_items(snapshot);
	const ItemSet *items = in_snapshot ? new_items : old_items;
	g_autoptr(ItemSet) none = item_set_new();
	unsigned n_of_type[256] = { 0 };
	struct damage_test test = { .good = in_snapshot ? old_items : new_items,
				    .in_snapshot = in_snapshot };

	opened_begin(&test.opened);
	fs_image_put_extent_tree(test.opened.image, none);
	opened_open(&test.opened);
	trees_begin(&test.trees, 0, 0);
	send_damaged(items, 0, &test);
	g_assert_cmpuint(test.n_errors, ==, 0);
	g_assert_cmpuint(test.n_commands, >, 20);
	for (size_t i = 0; i < item_set_count(items); i++) {
		const struct key key = item_set_at(items, i).key;

		/* Of each kind as many as tell something new. */
		if (n_of_type[key.type]++ >= (key.type == BTRFS_INODE_REF_KEY ? 5 : 2))
			continue;
		trees_for_each_damage(items, key, send_damaged, &test);
	}
	g_assert_cmpuint(test.n_errors, >, 500);
	trees_end(&test.trees);
	opened_end(&test.opened);
}

static void test_snapshot(void)
{
	damage_all(true);
}

static void test_parent(void)
{
	damage_all(false);
}

/* Directories that are each other's parents: no path is endless. */
static void test_circle(void)
{
	g_autoptr(ItemSet) items = subvolume_items("256 dir 1 !\n257 dir 7 a !\n258 dir 7 a/b !\n"
						   "259 file 7 a/b/f");
	g_autoptr(ItemSet) old_items = subvolume_items("257 dir 7 x\n258 dir 7 y\n");
	struct damage_test test = { .good = old_items, .in_snapshot = true };
	GByteArray *ref = g_byte_array_new();

	item_set_remove(items, KEY(257, BTRFS_INODE_REF_KEY, 256));
	put_inode_ref(ref, 4112, "a");
	item_set_put(items, KEY(257, BTRFS_INODE_REF_KEY, 258), ref);
	opened_begin(&test.opened);
	opened_open(&test.opened);
	trees_begin(&test.trees, 0, 0);
	send_damaged(items, 0, &test);
	test.in_snapshot = false; /* and in the parent */
	send_damaged(items, 0, &test);
	trees_end(&test.trees);
	opened_end(&test.opened);
}

/* Called off, or the sink is full: it ends with just that. */
static int refuse(void *user, const struct command *command)
{
	unsigned *left = user;

	(void)command;
	return (*left)-- == 0 ? -ENOSPC : 0;
}

static void test_ended_by_others(void)
{
	struct damage_test test = { 0 };
	struct send_root other = { 0 };
	struct send_request request = { .name = span_str("snapshot") };
	atomic_bool cancelled;
	int r = -ENOSPC;

	atomic_init(&cancelled, false);
	opened_begin(&test.opened);
	opened_open(&test.opened);
	trees_begin(&test.trees, 0, 0);
	other.tree = trees_put_text(&test.trees, 299, "257 file 7 a\n258 dir 7 d\n");
	request.snapshot.tree =
		trees_put_text(&test.trees, 300, "256 dir 1 !\n257 file 7 d/a !\n258 dir 7 d !\n");
	request.parent = &other;
	request.fs = test.opened.fs;
	request.cancelled = &cancelled;
	for (unsigned n = 0; r == -ENOSPC; n++) {
		unsigned left = n;
		const struct command_sink sink = { .put = refuse, .user = &left };

		r = sender_run(&request, &sink);
		g_assert_true(r == -ENOSPC || (r == 0 && n > 5));
	}
	atomic_store(&cancelled, true);
	r = sender_run(&request, &(struct command_sink){ .put = count, .user = &test });
	g_assert_cmpint(r, ==, -ECANCELED);
	g_assert_cmpuint(test.n_commands, <=, 1);
	trees_end(&test.trees);
	opened_end(&test.opened);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/sender_damage/snapshot", test_snapshot);
	g_test_add_func("/sender_damage/parent", test_parent);
	g_test_add_func("/sender_damage/circle", test_circle);
	g_test_add_func("/sender_damage/ended_by_others", test_ended_by_others);
	return g_test_run();
}
