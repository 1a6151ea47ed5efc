#include "generate.h"
#include "generator.h"

enum { N_PROFILES = 7, FORKS = 5 };

const char *const history_profiles[N_PROFILES + 1] = { "mixed", "dirs",	  "data", "links",
						       "xattrs", "forks", "clones", NULL };

/* How often each operation is chosen, by profile in the order above. */
static const struct {
	choose_fn choose;
	unsigned char weight[N_PROFILES];
} choices[] = {
	{ choose_mkfile, { 12, 8, 10, 14, 10, 12, 12 } },
	{ choose_mkdir, { 8, 14, 2, 8, 5, 12, 2 } },
	{ choose_symlink, { 3, 1, 1, 4, 3, 3, 0 } },
	{ choose_special, { 3, 1, 0, 4, 2, 3, 0 } },
	{ choose_unlink, { 6, 5, 3, 14, 5, 8, 4 } },
	{ choose_rmdir, { 2, 4, 0, 3, 1, 4, 0 } },
	{ choose_rmtree, { 1, 3, 0, 1, 1, 2, 0 } },
	{ choose_rename, { 8, 6, 2, 14, 3, 10, 3 } },
	{ choose_rename_over, { 3, 4, 2, 8, 1, 5, 2 } },
	{ choose_rename_dir, { 5, 20, 0, 6, 2, 10, 1 } },
	{ choose_exchange, { 3, 8, 1, 5, 1, 4, 1 } },
	{ choose_link, { 6, 2, 2, 25, 3, 6, 2 } },
	{ choose_many_links, { 1, 0, 0, 3, 0, 1, 0 } },
	{ choose_many_dirs, { 1, 1, 0, 0, 0, 1, 0 } },
	{ choose_write, { 10, 1, 40, 3, 6, 6, 22 } },
	{ choose_rewrite, { 4, 1, 5, 2, 3, 3, 3 } },
	{ choose_truncate, { 4, 0, 14, 1, 2, 2, 8 } },
	{ choose_fallocate, { 3, 0, 9, 0, 1, 1, 4 } },
	{ choose_punch, { 3, 0, 12, 0, 1, 1, 6 } },
	{ choose_fsync, { 2, 1, 3, 2, 2, 1, 1 } },
	{ choose_setxattr, { 5, 1, 1, 3, 30, 3, 1 } },
	{ choose_rmxattr, { 2, 0, 0, 1, 12, 1, 0 } },
	{ choose_security, { 3, 0, 1, 1, 12, 1, 0 } },
	{ choose_attributes, { 5, 2, 3, 4, 10, 4, 2 } },
	{ choose_flags, { 2, 0, 5, 0, 2, 1, 3 } },
	{ choose_hold, { 2, 1, 2, 2, 1, 2, 1 } },
	{ choose_release, { 1, 0, 1, 1, 1, 1, 1 } },
	{ choose_tmpfile, { 2, 0, 2, 2, 1, 1, 0 } },
	{ choose_reuse, { 1, 2, 1, 2, 1, 3, 1 } },
	{ choose_subvol, { 2, 2, 0, 1, 0, 2, 1 } },
	{ choose_clone, { 6, 1, 12, 2, 1, 6, 30 } },
	{ choose_many_clones, { 1, 0, 2, 0, 0, 1, 5 } },
	{ choose_dedupe, { 1, 0, 3, 0, 0, 1, 6 } },
	{ choose_large_dir, { 1, 1, 0, 1, 0, 0, 0 } },
	{ choose_delsubvol, { 1, 1, 0, 0, 0, 1, 0 } },
};

guint64 chance(struct generator *g)
{
	guint64 z = g->state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

unsigned below(struct generator *g, unsigned limit)
{
	return (unsigned)(chance(g) % limit);
}

bool one_in(struct generator *g, unsigned n)
{
	return below(g, n) == 0;
}

static void generate_mkfs(struct generator *g)
{
	static const char *const node_sizes[] = { "4096", "16384", "16384", "16384", "65536" };
	static const char *const checksums[] = { "crc32c", "crc32c", "crc32c",
						 "xxhash", "sha256", "blake2" };

	static const char *const profiles[] = { "-m%20dup", "-m%20single", "-m%20dup%20-d%20dup",
						"-m%20single%20-d%20single" };
	static const char *const two[] = { "-m%20raid1%20-d%20raid0", "-m%20raid1%20-d%20raid1",
					   "-m%20raid0%20-d%20single", "-m%20single%20-d%20raid0" };
	const bool mixed = one_in(g, 12), pair = !mixed && one_in(g, 4);

	say(g, "mkfs -n%%20%s", mixed ? "4096" : node_sizes[below(g, G_N_ELEMENTS(node_sizes))]);
	say(g, "%%20-O%%20%sno-holes", one_in(g, 3) ? "^" : "");
	say(g, "%%20--csum%%20%s", checksums[below(g, G_N_ELEMENTS(checksums))]);
	say(g, "%%20%s\n", mixed ? "--mixed" : pair ? two[below(g, G_N_ELEMENTS(two))] :
						       profiles[below(g, G_N_ELEMENTS(profiles))]);
	if (pair)
		say(g, "devices 2\n");
}

static void generate_mount(struct generator *g)
{
	static const char *const compressions[] = { "zlib", "lzo", "zstd" };

	say(g, "mount %s", one_in(g, 2) ? "noatime" : "relatime");
	if (one_in(g, 2))
		say(g, ",compress%s=%s", one_in(g, 2) ? "-force" : "",
		    compressions[below(g, G_N_ELEMENTS(compressions))]);
	else if (one_in(g, 5))
		say(g, ",nodatasum");
	if (one_in(g, 4))
		say(g, ",max_inline=%s", one_in(g, 2) ? "0" : "3000");
	say(g, "\n");
}

static void generate_operations(struct generator *g, unsigned n, unsigned profile)
{
	unsigned sum = 0;

	for (guint i = 0; i < G_N_ELEMENTS(choices); i++)
		sum += choices[i].weight[profile];
	while (n-- > 0) {
		unsigned at = below(g, sum);
		guint i = 0;

		while (at >= choices[i].weight[profile])
			at -= choices[i++].weight[profile];
		choices[i].choose(g);
		if (one_in(g, 12))
			say(g, "sync\n");
	}
}

static void generate_remount(struct generator *g)
{
	say(g, "remount\n");
	forget_holds(g);
}

/* Changes a fork of s1, and makes f1 of it: a snapshot, or the fork itself. */
static void generate_fork(struct generator *g, struct tree *s1, unsigned n, unsigned profile)
{
	g->tree = s1;
	if (one_in(g, 2)) {
		say(g, "fork f1 s1\n");
		generate_operations(g, n, profile);
		if (one_in(g, 2))
			choose_hold(g);
		say(g, "ro f1\n");
	} else {
		say(g, "fork w1 s1\n");
		generate_operations(g, n, profile);
		say(g, "snapshot f1\n");
	}
}

/* What was a snapshot is changed, and read-only again. */
static void generate_changed_snapshot(struct generator *g, struct tree *s2, unsigned profile)
{
	g->tree = s2;
	say(g, "rw s2\nin s2\n");
	generate_operations(g, 1 + below(g, 12), profile);
	say(g, "ro s2\n");
}

/* @received: r1 and r2 of s1 and s2. */
static void generate_pairs(struct generator *g, bool fork, bool received)
{
	say(g, "pair - s1\npair - s2\npair - s3\n");
	say(g, "pair s1 s2\npair s2 s3\npair s1 s3\npair s2 s1\npair s3 s2\n");
	say(g, "pair s1,s2 s3\npair s2,s3 s1\n");
	if (fork)
		say(g, "pair - f1\npair s1 f1\npair f1 s2\npair s3 f1\npair s3,s2,s1 f1\n");
	if (received)
		say(g, "pair - r2\npair r1 r2\npair r1,s1 r2\npair s1,r1 s2\n");
}

/* What was received, and what became of it. */
static void generate_received(struct generator *g, struct tree *s1, unsigned n, unsigned profile)
{
	say(g, "receive r1 s1 -\n");
	if (one_in(g, 2)) {
		say(g, "receive r2 s2 s1\n");
		return;
	}
	g->tree = s1;
	say(g, "fork rw r1\n");
	generate_operations(g, n, profile);
	say(g, "snapshot r2\n");
}

static void past_clear(void *past)
{
	tree_free(((struct past *)past)->tree);
}

char *generate_history(guint64 seed, unsigned n_operations, const char *profile)
{
	struct generator g = { .state = seed * 0xd1342543de82ef95u, .out = g_string_new(NULL) };
	static const char *const names[] = { "s1", "s2" };
	struct tree *snapshots[2], *received_tree, *main_tree = tree_new();
	unsigned which = below(&g, N_PROFILES), n;
	bool fork, received;

	for (unsigned i = 0; profile && i < N_PROFILES; i++)
		if (g_str_equal(profile, history_profiles[i]))
			which = i;
	if (profile && !g_str_equal(profile, history_profiles[which]))
		return NULL;
	n = (n_operations ? n_operations : 30 + below(&g, 110)) / 3 + 1;
	fork = which == FORKS || one_in(&g, 2);
	received = one_in(&g, 4);
	g.past = g_array_new(FALSE, FALSE, sizeof(struct past));
	g_array_set_clear_func(g.past, past_clear);
	g.holds = g_ptr_array_new_with_free_func(g_free);
	say(&g, "# seed %" G_GUINT64_FORMAT ", profile %s\n", seed, history_profiles[which]);
	generate_mkfs(&g);
	generate_mount(&g);
	say(&g, "volume main\n");
	g.tree = main_tree;
	for (unsigned i = 0; i < 8; i++)
		one_in(&g, 2) ? choose_mkdir(&g) : choose_mkfile(&g);
	for (unsigned i = 0; i < 3; i++) {
		generate_operations(&g, n, which);
		say(&g, "snapshot s%u\n", i + 1);
		if (i < 2) {
			snapshots[i] = tree_copy(main_tree);
			g_array_append_vals(g.past, &(struct past){ names[i], tree_copy(main_tree) }, 1);
		}
		if (one_in(&g, 3))
			generate_remount(&g);
	}
	received_tree = tree_copy(snapshots[0]);
	if (fork)
		generate_fork(&g, snapshots[0], n, which);
	if (received)
		generate_received(&g, received_tree, n, which);
	if (one_in(&g, 6))
		generate_changed_snapshot(&g, snapshots[1], which);
	say(&g, "sync\n");
	generate_pairs(&g, fork, received);
	tree_free(snapshots[0]);
	tree_free(snapshots[1]);
	tree_free(received_tree);
	tree_free(main_tree);
	g_array_unref(g.past);
	g_ptr_array_unref(g.holds);
	return g_string_free(g.out, FALSE);
}
