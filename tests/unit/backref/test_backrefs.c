#include "btrfs/backref/backrefs.h"
#include "support/extent_tree.h"
#include "support/opened.h"
#include "support/subvolume.h"

/* docs/send-order.md, sections 12.1 to 12.3 and 12.6. */

#define MOST 1024u
#define EXTENT ((uint64_t)16 << 20)

struct fixture {
	struct opened opened;
	ItemSet *extents; /* of the subvolumes, as the kernel would have them */
	Backrefs *backrefs;
};

static void begin(struct fixture *f)
{
	opened_begin(&f->opened);
	f->extents = NULL;
	f->backrefs = NULL;
}

/* The address of its root block. */
static uint64_t put(struct fixture *f, uint64_t id, const char *text)
{
	g_autoptr(ItemSet) items = subvolume_items(text);
	const struct root_item root = fs_image_write_tree(f->opened.image, id, items);

	fs_image_put_root(f->opened.image, id, &root);
	return root.bytenr;
}

static void gather(struct fixture *f)
{
	f->extents = extent_items_of(f->opened.image);
}

/* References in place of those that were gathered. */
static void put_refs(struct fixture *f, uint64_t logical, int level, uint64_t count,
		     GByteArray *refs)
{
	const struct extent_at at = { logical, f->opened.image->super.generation + 1, level };

	put_extent_item(f->extents, &at, count, span_of_bytes(refs));
	g_byte_array_unref(refs);
}

static void start_with(struct fixture *f, size_t memory)
{
	fs_image_put_extent_tree(f->opened.image, f->extents);
	opened_open(&f->opened);
	f->backrefs = backrefs_new(f->opened.fs, memory);
}

static void start(struct fixture *f)
{
	start_with(f, 1 << 20);
}

static void end(struct fixture *f)
{
	backrefs_free(f->backrefs);
	item_set_free(f->extents);
	opened_end(&f->opened);
}

/* "300/258-0: 258@0 258@65536;" a group each; shared leaves as "leaf:". */
static char *users_of(struct fixture *f, uint64_t logical)
{
	GString *text = g_string_new(NULL);
	const struct extent_users *users;

	g_assert_cmpint(backrefs_users(f->backrefs, logical, MOST, &users), ==, 0);
	for (uint32_t i = 0; i < users->n_groups; i++) {
		const struct extent_user_group *group = &users->groups[i];

		g_assert_true((group->leaf != 0) == (i >= users->n_keyed));
		if (group->leaf)
			g_string_append(text, "leaf:");
		else
			g_string_append_printf(text, "%u/%u%+d:", (unsigned)group->root,
					       (unsigned)group->ino, (int)group->offset);
		for (uint32_t j = group->first; j < group->first + group->n; j++) {
			const struct extent_user *user = &users->users[j];

			g_assert_cmpuint(user->leaf_index, <, users->n_leaves);
			g_string_append_printf(text, " %u@%u%s", (unsigned)user->ino,
					       (unsigned)user->file_offset,
					       user->compressed ? "z" : "");
		}
		g_string_append(text, "; ");
	}
	return g_string_free(text, FALSE);
}

static void assert_users(struct fixture *f, uint64_t logical, const char *expected)
{
	for (unsigned round = 0; round < 2; round++) {
		g_autofree char *text = users_of(f, logical);

		g_assert_cmpstr(text, ==, expected);
	}
}

static void assert_roots(struct fixture *f, uint64_t logical, const char *expected)
{
	for (unsigned round = 0; round < 2; round++) {
		g_autoptr(GString) text = g_string_new(NULL);
		GArray *roots;

		g_assert_cmpint(backrefs_roots(f->backrefs, logical, MOST, &roots), ==, 0);
		for (guint i = 0; i < roots->len; i++)
			g_string_append_printf(text, "%u ",
					       (unsigned)g_array_index(roots, uint64_t, i));
		g_assert_cmpstr(text->str, ==, expected);
	}
}

/* ---- keyed references ---- */

static void test_keyed(void)
{
	const struct extent_users *users;
	struct fixture f;

	begin(&f);
	put(&f, 300, "257 file 7 a data=0+64k@16m data=128k+64k@16m+128k\n"
		     "258 file 7 b data=64k+64k@16m hole=128k+64k data=192k+64k@32m\n"
		     "259 file 7 c inline=x");
	put(&f, 301, "257 file 7 a zdata=4k+4k@16m\n");
	gather(&f);
	start(&f);
	/* Descending; equal keyed references are one group. */
	assert_users(&f, EXTENT, "301/257+4096: 257@4096z; 300/258+65536: 258@65536; "
				 "300/257+0: 257@0 257@131072; ");
	assert_users(&f, (uint64_t)32 << 20, "300/258+196608: 258@196608; ");
	/* No extent begins there. */
	assert_users(&f, EXTENT + 4096, "");
	g_assert_cmpint(backrefs_users(f.backrefs, EXTENT, MOST, &users), ==, 0);
	g_assert_cmpuint(users->refs, ==, 4);
	g_assert_cmpuint(users->n_leaves, ==, 2);
	g_assert_cmpuint(users->users[3].extent_offset, ==, 128 << 10);
	g_assert_cmpuint(users->users[3].num_bytes, ==, 64 << 10);
	g_assert_cmpuint(users->users[0].leaf, !=, users->users[1].leaf);
	end(&f);
}

/* An item that begins before its extent would: the offset wraps. */
static void test_wrapped_offset(void)
{
	struct fixture f;

	begin(&f);
	put(&f, 300, "257 file 7 a data=0+4k@16m+64k data=4k+4k@16m\n");
	gather(&f);
	start(&f);
	assert_users(&f, EXTENT, "300/257-65536: 257@0; 300/257+4096: 257@4096; ");
	end(&f);
}

/* As many as the reference counts, no more; fewer if there are no more. */
static void test_count(void)
{
	for (uint32_t count = 0; count < 5; count++) {
		static const char *const expected[] = {
			"300/257+0:; ", "300/257+0: 257@0; ", "300/257+0: 257@0 257@4096; ",
			"300/257+0: 257@0 257@4096 257@8192; ",
			"300/257+0: 257@0 257@4096 257@8192; ",
		};
		GByteArray *refs = g_byte_array_new();
		struct fixture f;

		begin(&f);
		put(&f, 300, "257 file 7 a data=0+4k@16m data=4k+4k@16m+4k data=8k+4k@16m+8k\n"
			     "258 file 7 b data=0+4k@16m");
		gather(&f);
		put_data_ref(refs, 300, 257, 0, count);
		put_refs(&f, EXTENT, -1, 3, refs);
		start(&f);
		assert_users(&f, EXTENT, expected[count]);
		end(&f);
	}
}

/* Inline and in items of their own: the same reference counts once. */
static void test_merged(void)
{
	struct fixture f;

	begin(&f);
	put(&f, 300, "257 file 7 a data=0+4k@16m data=4k+4k@16m+4k\n258 file 7 b data=0+4k@16m");
	gather(&f);
	for (uint64_t i = 0; i < 2; i++) {
		GByteArray *refs = g_byte_array_new(), *keyed = g_byte_array_new();

		put_data_ref(keyed, 300, 257 + i, 0, 1);
		g_byte_array_remove_index(keyed, 0); /* the type */
		item_set_put(f.extents, KEY(EXTENT, BTRFS_EXTENT_DATA_REF_KEY, 5 + i), keyed);
		put_data_ref(refs, 300, 257, 0, 1);
		put_refs(&f, EXTENT, -1, 3, refs);
	}
	start(&f);
	assert_users(&f, EXTENT, "300/258+0: 258@0; 300/257+0: 257@0 257@4096; ");
	end(&f);
}

static void test_limit(void)
{
	const struct extent_users *users;

	for (uint64_t refs = 1024; refs <= 1025; refs++) {
		GByteArray *data = g_byte_array_new(), *block = g_byte_array_new();
		struct fixture f;
		uint64_t leaf;

		begin(&f);
		leaf = put(&f, 300, "257 file 7 a data=0+4k@16m");
		gather(&f);
		put_data_ref(data, 300, 257, 0, 1);
		put_refs(&f, EXTENT, -1, refs, data);
		put_block_ref(block, 300);
		put_refs(&f, leaf, 0, refs, block);
		start(&f);
		g_assert_cmpint(backrefs_users(f.backrefs, EXTENT, MOST, &users), ==, 0);
		g_assert_cmpuint(users->refs, ==, refs);
		g_assert_cmpuint(users->n_users, ==, refs <= 1024);
		g_assert_cmpuint(users->n_groups, ==, refs <= 1024);
		assert_roots(&f, leaf, refs <= 1024 ? "300 " : "");
		end(&f);
	}
}

/* ---- leaves that are shared ---- */

/* A leaf that belongs to another subvolume is not this reference's. */
static void test_foreign_leaf(void)
{
	GByteArray *refs = g_byte_array_new();
	struct fixture f;
	uint64_t first, second;

	begin(&f);
	first = put(&f, 300, "257 file 7 a data=0+4k@16m");
	second = put(&f, 301, "257 file 7 a data=0+4k@16m");
	g_assert_cmpuint(first, ==, second);
	gather(&f);
	put_data_ref(refs, 301, 257, 0, 1);
	put_data_ref(refs, 300, 257, 0, 1);
	put_refs(&f, EXTENT, -1, 2, refs);
	start(&f);
	assert_users(&f, EXTENT, "301/257+0:; 300/257+0: 257@0; ");
	/* Both have it for their root. */
	assert_roots(&f, first, "301 300 ");
	end(&f);
}

static void test_shared_leaf(void)
{
	GByteArray *refs = g_byte_array_new();
	const struct extent_users *users;
	struct fixture f;
	uint64_t leaf;

	begin(&f);
	leaf = put(&f, 300, "257 file 7 a data=0+4k@16m data=4k+4k@16m\n"
			    "258 file 7 b data=0+4k@16m data=8k+4k@32m\n"
			    "259 file 7 c inline=x");
	put(&f, 301, "257 file 7 other data=0+4k@16m");
	gather(&f);
	put_shared_data_ref(refs, leaf, 3);
	put_data_ref(refs, 301, 257, 0, 1);
	put_data_ref(refs, 300, 257, 0, 1);
	put_refs(&f, EXTENT, -1, 5, refs);
	start(&f);
	/* Keyed ones first, and they pass over the shared leaf; in it, slots in
	 * order. */
	assert_users(&f, EXTENT, "301/257+0: 257@0; 300/257+0:; leaf: 257@0 257@4096 258@0; ");
	g_assert_cmpint(backrefs_users(f.backrefs, EXTENT, MOST, &users), ==, 0);
	g_assert_cmpuint(users->n_keyed, ==, 2);
	g_assert_cmpuint(users->groups[2].leaf, ==, leaf);
	g_assert_cmpuint(users->users[1].leaf, ==, leaf);
	g_assert_cmpuint(users->users[1].leaf_index, ==, users->groups[2].leaf_index);
	end(&f);
}

/* What claims to be a shared leaf must be one. */
static void test_no_leaf(void)
{
	g_autoptr(GString) text = g_string_new(NULL);
	GByteArray *refs = g_byte_array_new();
	const struct extent_users *users;
	struct fixture f;
	uint64_t root;

	for (unsigned i = 0; i < 100; i++)
		g_string_append_printf(text, "%u file 7 f%u\n", 257 + i, i);
	begin(&f);
	root = put(&f, 300, text->str);
	gather(&f);
	put_shared_data_ref(refs, root, 1);
	put_refs(&f, EXTENT, -1, 1, refs);
	refs = g_byte_array_new();
	put_shared_data_ref(refs, 12345, 1); /* no extent there */
	put_refs(&f, EXTENT * 2, -1, 1, refs);
	refs = g_byte_array_new();
	put_block_ref(refs, 300); /* of a block, for data */
	put_refs(&f, EXTENT * 3, -1, 1, refs);
	start(&f);
	for (unsigned i = 1; i <= 3; i++)
		g_assert_cmpint(backrefs_users(f.backrefs, EXTENT * i, MOST, &users), ==,
				-EUCLEAN);
	end(&f);
}

/* ---- roots ---- */

struct leaves {
	uint64_t first, last;
};

/* The first and the last child of a root of level 1. */
static struct leaves leaves_of(const struct fixture *f, uint64_t root)
{
	const uint8_t *block = f->opened.image->image->data + root;
	const uint32_t n = load_le32(block + 96);

	g_assert_cmpuint(block[100], ==, 1);
	return (struct leaves){ load_le64(block + 101 + 17),
				load_le64(block + 101 + 33 * (n - 1) + 17) };
}

static char *many_files(const char *last)
{
	GString *text = g_string_new(NULL);

	for (unsigned i = 0; i < 30; i++)
		g_string_append_printf(text, "%u file 7 f%02u\n", 257 + i, i);
	g_string_append(text, last);
	return g_string_free(text, FALSE);
}

static void test_roots(void)
{
	g_autofree char *one = many_files("1000 file 7 links=0 uid=1");
	g_autofree char *two = many_files("1000 file 7 links=0 uid=2");
	g_autofree char *three = many_files("1000 file 7 links=0 uid=3");
	struct leaves a, b, c;
	struct fixture f;

	begin(&f);
	a = leaves_of(&f, put(&f, 301, one));
	b = leaves_of(&f, put(&f, 300, two));
	c = leaves_of(&f, put(&f, 302, three));
	put(&f, 303, one); /* its root is 301's */
	g_assert_cmpuint(a.first, ==, b.first);
	g_assert_cmpuint(a.first, ==, c.first);
	g_assert_cmpuint(a.last, !=, b.last);
	gather(&f);
	start(&f);
	/* Three parents point to it: 302's, 301's, 300's; then who has those. */
	assert_roots(&f, a.first, "302 303 301 300 ");
	assert_roots(&f, a.last, "303 301 ");
	assert_roots(&f, b.last, "300 ");
	assert_roots(&f, c.last, "302 ");
	/* No such block. */
	assert_roots(&f, 4096, "");
	end(&f);
}

/* By the addresses of parents, the same; keyed ones come first. */
static void test_shared_parents(void)
{
	g_autofree char *one = many_files("1000 file 7 links=0 uid=1");
	g_autofree char *two = many_files("1000 file 7 links=0 uid=2");
	GByteArray *refs = g_byte_array_new();
	uint64_t root_one, root_two;
	struct fixture f;
	uint64_t leaf;

	begin(&f);
	root_one = put(&f, 301, one);
	root_two = put(&f, 300, two);
	leaf = leaves_of(&f, root_one).first;
	gather(&f);
	put_shared_block_ref(refs, root_one);
	put_shared_block_ref(refs, root_two);
	put_refs(&f, leaf, 0, 2, refs);
	start(&f);
	/* Descending by address: 300's root was written later. */
	g_assert_cmpuint(root_two, >, root_one);
	assert_roots(&f, leaf, "300 301 ");
	end(&f);
	begin(&f);
	root_one = put(&f, 301, one);
	put(&f, 300, two);
	gather(&f);
	refs = g_byte_array_new();
	put_shared_block_ref(refs, root_one);
	put_block_ref(refs, 300);
	put_refs(&f, leaf, 0, 2, refs);
	start(&f);
	assert_roots(&f, leaf, "300 301 ");
	end(&f);
}

/* Subvolumes that have been deleted contribute nothing. */
static void test_deleted_roots(void)
{
	GByteArray *data = g_byte_array_new(), *block = g_byte_array_new();
	struct fixture f;
	uint64_t leaf;

	begin(&f);
	leaf = put(&f, 300, "257 file 7 a data=0+4k@16m");
	gather(&f);
	put_data_ref(data, 999, 257, 0, 1);
	put_data_ref(data, 300, 257, 0, 1);
	put_refs(&f, EXTENT, -1, 2, data);
	put_block_ref(block, 999);
	put_block_ref(block, 300);
	put_refs(&f, leaf, 0, 2, block);
	start(&f);
	assert_users(&f, EXTENT, "300/257+0: 257@0; ");
	assert_roots(&f, leaf, "300 ");
	end(&f);
}

/* Parents that go round in a circle: it ends. */
static void test_circle(void)
{
	g_autofree char *one = many_files("1000 file 7 links=0 uid=1");
	struct fixture f;
	uint64_t root, leaf;
	GByteArray *refs = g_byte_array_new();

	begin(&f);
	root = put(&f, 301, one);
	leaf = leaves_of(&f, root).first;
	gather(&f);
	put_shared_block_ref(refs, leaf);
	put_shared_block_ref(refs, root);
	put_refs(&f, leaf, 0, 2, refs);
	refs = g_byte_array_new();
	put_shared_block_ref(refs, leaf);
	put_shared_block_ref(refs, root);
	put_block_ref(refs, 301);
	put_refs(&f, root, 1, 3, refs);
	start(&f);
	assert_roots(&f, leaf, "301 ");
	assert_roots(&f, root, "301 ");
	end(&f);
}

/* ---- what may be remembered ---- */

static void test_little_memory(void)
{
	struct fixture f;
	uint64_t leaf;

	begin(&f);
	leaf = put(&f, 300, "257 file 7 a data=0+4k@16m data=4k+4k@32m");
	gather(&f);
	start_with(&f, 8);
	for (unsigned i = 0; i < 3; i++) {
		assert_users(&f, EXTENT, "300/257+0: 257@0; ");
		assert_users(&f, EXTENT * 2, "300/257+4096: 257@4096; ");
		assert_roots(&f, leaf, "300 ");
	}
	end(&f);
}

static void test_no_extent_tree(void)
{
	const struct extent_users *users;
	struct fixture f;
	GArray *roots;
	int r;

	begin(&f);
	put(&f, 300, "257 file 7 a data=0+4k@16m");
	opened_open(&f.opened);
	f.backrefs = backrefs_new(f.opened.fs, 1 << 20);
	r = backrefs_users(f.backrefs, EXTENT, MOST, &users);
	g_assert_true(r == -EUCLEAN || r == -EBADMSG);
	r = backrefs_roots(f.backrefs, EXTENT, MOST, &roots);
	g_assert_true(r == -EUCLEAN || r == -EBADMSG);
	end(&f);
}

/* ---- damage ---- */

struct damage_test {
	struct fixture f;
	struct key key;
	uint64_t leaf;
	unsigned n_errors;
};

static void ask_damaged(struct span damaged, void *user)
{
	struct damage_test *test = user;
	const struct root_item *root = &test->f.opened.image->extent_root;
	const struct block_head head = { .logical = root->bytenr,
					 .generation = root->generation,
					 .owner = BTRFS_EXTENT_TREE_OBJECTID };
	g_autoptr(ItemSet) items = item_set_copy(test->f.extents);
	const struct extent_users *users;
	Backrefs *backrefs;
	GArray *roots;
	int r;

	item_set_put_span(items, test->key, damaged);
	opened_change_leaf(&test->f.opened, &head, items);
	backrefs = backrefs_new(test->f.opened.fs, 1 << 20);
	r = backrefs_users(backrefs, EXTENT, MOST, &users);
	g_assert_true(r == 0 || r == -EUCLEAN || r == -ESTALE);
	if (r == 0)
		g_assert_cmpuint(users->n_users, <=, 6);
	test->n_errors += r != 0;
	r = backrefs_roots(backrefs, test->leaf, MOST, &roots);
	g_assert_true(r == 0 || r == -EUCLEAN || r == -ESTALE);
	if (r == 0)
		g_assert_cmpuint(roots->len, <=, 2);
	test->n_errors += r != 0;
	backrefs_free(backrefs);
}

static void test_damage(void)
{
	struct damage_test test = { 0 };

	begin(&test.f);
	test.leaf = put(&test.f, 300, "257 file 7 a data=0+4k@16m data=4k+4k@16m+4k\n"
				      "258 file 7 b data=0+4k@16m");
	gather(&test.f);
	start(&test.f);
	g_assert_cmpuint(item_set_count(test.f.extents), ==, 2);
	for (size_t i = 0; i < 2; i++) {
		const struct block_item item = item_set_at(test.f.extents, i);

		test.key = item.key;
		test.n_errors = 0;
		for_each_damage(item.data, ask_damaged, &test);
		/* Every length but that of the head and those of whole references. */
		g_assert_cmpuint(test.n_errors, >=, item.data.len - 3);
	}
	end(&test.f);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/backrefs/keyed", test_keyed);
	g_test_add_func("/backrefs/wrapped_offset", test_wrapped_offset);
	g_test_add_func("/backrefs/count", test_count);
	g_test_add_func("/backrefs/merged", test_merged);
	g_test_add_func("/backrefs/limit", test_limit);
	g_test_add_func("/backrefs/foreign_leaf", test_foreign_leaf);
	g_test_add_func("/backrefs/shared_leaf", test_shared_leaf);
	g_test_add_func("/backrefs/no_leaf", test_no_leaf);
	g_test_add_func("/backrefs/roots", test_roots);
	g_test_add_func("/backrefs/shared_parents", test_shared_parents);
	g_test_add_func("/backrefs/deleted_roots", test_deleted_roots);
	g_test_add_func("/backrefs/circle", test_circle);
	g_test_add_func("/backrefs/little_memory", test_little_memory);
	g_test_add_func("/backrefs/no_extent_tree", test_no_extent_tree);
	g_test_add_func("/backrefs/damage", test_damage);
	return g_test_run();
}
