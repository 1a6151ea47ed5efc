#include "btrfs/inode/inode_reader.h"
#include "support/items.h"
#include "support/subvolume.h"
#include "trees.h"
#include <sys/stat.h>

/* Pairs of names with equal hashes. */
#define SAME_A1 "user.n1162952"
#define SAME_A2 "user.n2213568"
#define SAME_B1 "user.n1033578"
#define SAME_B2 "user.n2342942"

struct fixture {
	struct trees trees;
	InodeReader *reader;
};

static void set_up(struct fixture *f, const char *text, unsigned fanout)
{
	struct tree tree;

	trees_begin(&f->trees, 0, fanout);
	tree = trees_put_text(&f->trees, 300, text);
	f->reader = inode_reader_new(&tree);
}

static void tear_down(struct fixture *f)
{
	inode_reader_free(f->reader);
	trees_end(&f->trees);
}

/* ---- inode items ---- */

static void test_items(void)
{
	const struct inode_item *item;
	struct fixture f;
	uint64_t gen = 99;

	set_up(&f, "257 file 7 a mode=4711 uid=3 gid=4 flags=16 size=5 data=0+4k@16m\n"
		   "258 dir 8 d\n"
		   "1281 file 9 b\n" /* the slot of 257 */
		   "1282 file 10 links=0", 0);
	for (unsigned round = 0; round < 2; round++) {
		g_assert_cmpint(inode_reader_item(f.reader, 257, &item), ==, 0);
		g_assert_cmpuint(item->generation, ==, 7);
		g_assert_cmpuint(item->mode, ==, S_IFREG | 04711);
		g_assert_cmpuint(item->uid, ==, 3);
		g_assert_cmpuint(item->gid, ==, 4);
		g_assert_cmpuint(item->flags, ==, 16);
		g_assert_cmpuint(item->size, ==, 5);
		g_assert_cmpuint(item->nlink, ==, 1);
		g_assert_cmpint(inode_reader_item(f.reader, 258, &item), ==, 0);
		g_assert_true(S_ISDIR(item->mode));
		g_assert_cmpint(inode_reader_generation(f.reader, 1281, &gen), ==, 0);
		g_assert_cmpuint(gen, ==, 9);
		g_assert_cmpint(inode_reader_item(f.reader, 1282, &item), ==, 0);
		g_assert_cmpuint(item->nlink, ==, 0);
		g_assert_cmpint(inode_reader_generation(f.reader, 259, &gen), ==, -ENOENT);
		g_assert_cmpint(inode_reader_generation(f.reader, 2305, &gen), ==, -ENOENT);
		g_assert_cmpint(inode_reader_generation(f.reader, 0, &gen), ==, -ENOENT);
		g_assert_cmpint(inode_reader_generation(f.reader, UINT64_MAX, &gen), ==, -ENOENT);
		g_assert_cmpuint(gen, ==, 9);
	}
	tear_down(&f);
}

/* What has been asked is remembered, also that there is none. */
static void test_items_once(void)
{
	struct fixture f;
	uint64_t gen, descents;

	set_up(&f, "257 file 7 a\n258 file 7 b", 0);
	g_assert_cmpint(inode_reader_generation(f.reader, 257, &gen), ==, 0);
	g_assert_cmpint(inode_reader_generation(f.reader, 999, &gen), ==, -ENOENT);
	descents = inode_reader_descents(f.reader);
	memset(f.trees.disks->disk[0].data, 0, f.trees.disks->image->used);
	for (unsigned i = 0; i < 10; i++) {
		g_assert_cmpint(inode_reader_generation(f.reader, 257, &gen), ==, 0);
		g_assert_cmpint(inode_reader_generation(f.reader, 999, &gen), ==, -ENOENT);
	}
	g_assert_cmpuint(inode_reader_descents(f.reader), ==, descents);
	tear_down(&f);
}

/* ---- names ---- */

static int note_name(void *user, uint64_t dir, struct span name)
{
	g_string_append_printf(user, "%" G_GUINT64_FORMAT ":%.*s ", (guint64)dir, (int)name.len,
			       name.data);
	return 0;
}

static int stop_at_b(void *user, uint64_t dir, struct span name)
{
	note_name(user, dir, name);
	return span_equal(name, span_str("b")) ? 5 : 0;
}

static void assert_names(struct fixture *f, uint64_t ino, const char *refs, const char *parents)
{
	g_autoptr(GString) all = g_string_new(NULL), some = g_string_new(NULL);

	g_assert_cmpint(inode_reader_refs(f->reader, ino, note_name, all), ==, 0);
	g_assert_cmpstr(all->str, ==, refs);
	g_assert_cmpint(inode_reader_parents(f->reader, ino, note_name, some), ==, 0);
	g_assert_cmpstr(some->str, ==, parents);
}

static void assert_first(struct fixture *f, uint64_t ino, uint64_t dir, const char *name)
{
	struct reference first;

	g_assert_cmpint(inode_reader_first_ref(f->reader, ino, &first), ==, 0);
	g_assert_cmpuint(first.dir, ==, dir);
	g_assert_true(span_equal(name_span(&first.name), span_str(name)));
}

static const char names[] = "257 dir 7 d\n"
			    "258 file 7 d/c a b d/e\n"
			    "259 file 7 +d/x\n"
			    "260 file 7 +x d/y d/z\n"
			    "261 file 7 links=0\n"
			    "262 file 7 +p +d/q\n";

static void test_names(void)
{
	struct fixture f;
	struct reference first;
	g_autoptr(GString) seen = g_string_new(NULL);

	set_up(&f, names, 0);
	assert_names(&f, 258, "256:a 256:b 257:c 257:e ", "256:a 257:c ");
	assert_first(&f, 258, 256, "a");
	assert_names(&f, 259, "257:x ", "257:x ");
	assert_first(&f, 259, 257, "x");
	/* INODE_REF comes first, whatever the directory. */
	assert_names(&f, 260, "257:y 257:z 256:x ", "257:y 256:x ");
	assert_first(&f, 260, 257, "y");
	assert_names(&f, 261, "", "");
	assert_names(&f, 256, "256:.. ", "256:.. ");
	g_assert_cmpint(inode_reader_first_ref(f.reader, 261, &first), ==, -ENOENT);
	g_assert_cmpint(inode_reader_first_ref(f.reader, 999, &first), ==, -ENOENT);
	g_assert_cmpint(inode_reader_refs(f.reader, 258, stop_at_b, seen), ==, 5);
	g_assert_cmpstr(seen->str, ==, "256:a 256:b ");
	tear_down(&f);
}

/* Several directories that share the hash of a name: one INODE_EXTREF item. */
static void test_extended_together(void)
{
	const struct key key = KEY(300, BTRFS_INODE_EXTREF_KEY, 12345);
	g_autoptr(ItemSet) items = subvolume_items("300 file 7 links=2");
	GByteArray *refs = g_byte_array_new();
	struct fixture f;
	struct tree tree;

	put_inode_extref(refs, 258, 2, "one");
	put_inode_extref(refs, 257, 3, "two");
	item_set_put(items, key, refs);
	trees_begin(&f.trees, 0, 0);
	tree = trees_put(&f.trees, 300, items);
	f.reader = inode_reader_new(&tree);
	assert_names(&f, 300, "258:one 257:two ", "258:one 257:two ");
	assert_first(&f, 300, 258, "one");
	tear_down(&f);
}

/* ---- directories ---- */

static void assert_entry(struct fixture *f, uint64_t dir, const char *name, uint64_t ino)
{
	struct key location;

	g_assert_cmpint(inode_reader_lookup(f->reader, dir, span_str(name), &location), ==, 0);
	g_assert_cmpuint(location.objectid, ==, ino);
	g_assert_cmpuint(location.type, ==, BTRFS_INODE_ITEM_KEY);
}

static int lookup(struct fixture *f, uint64_t dir, const char *name)
{
	struct key location;

	return inode_reader_lookup(f->reader, dir, span_str(name), &location);
}

static void test_lookup(void)
{
	struct fixture f;
	struct key location;

	set_up(&f, "257 dir 7 d\n"
		   "258 file 7 d/" SAME_A1 "\n"
		   "259 file 7 d/" SAME_A2 "\n"
		   "260 file 7 " SAME_B1 "\n"
		   "400 subvol 0 d/sub", 0);
	g_assert_cmpuint(name_hash(span_str(SAME_A1)), ==, name_hash(span_str(SAME_A2)));
	assert_entry(&f, 256, "d", 257);
	assert_entry(&f, 257, SAME_A1, 258);
	assert_entry(&f, 257, SAME_A2, 259);
	assert_entry(&f, 256, SAME_B1, 260);
	g_assert_cmpint(lookup(&f, 256, SAME_B2), ==, -ENOENT); /* the hash is there */
	g_assert_cmpint(lookup(&f, 256, SAME_A1), ==, -ENOENT);
	g_assert_cmpint(lookup(&f, 257, "user.n116295"), ==, -ENOENT);
	g_assert_cmpint(lookup(&f, 257, ""), ==, -ENOENT);
	g_assert_cmpint(lookup(&f, 258, "d"), ==, -ENOENT);
	g_assert_cmpint(inode_reader_lookup(f.reader, 257, span_str("sub"), &location), ==, 0);
	g_assert_cmpuint(location.objectid, ==, 400);
	g_assert_cmpuint(location.type, ==, BTRFS_ROOT_ITEM_KEY);
	tear_down(&f);
}

static uint64_t blocks_asked_for(const struct fixture *f)
{
	const struct node_store_stats stats = node_store_stats(f->trees.store);

	return stats.hits + stats.misses;
}

/* Two directories of 300 names each, asked in turn for others and for theirs. */
static void test_many_lookups(void)
{
	g_autoptr(GString) text = g_string_new("257 dir 7 d\n258 dir 7 e\n");
	struct fixture f;
	uint64_t blocks = 0;

	for (unsigned i = 0; i < 600; i++)
		g_string_append_printf(text, "%u file 7 %c/name%u\n", 300 + i, i < 300 ? 'd' : 'e', i);
	set_up(&f, text->str, 2);
	for (unsigned i = 0; i < 5000; i++) {
		g_autofree char *name = g_strdup_printf("name%u", i);

		g_assert_cmpint(lookup(&f, 257, name), ==, i < 300 ? 0 : -ENOENT);
		g_assert_cmpint(lookup(&f, 258, name), ==, i / 300 == 1 ? 0 : -ENOENT);
		if (i == 600)
			blocks = blocks_asked_for(&f);
	}
	/* Hardly any of those that are in neither is searched for. */
	g_assert_cmpuint(blocks_asked_for(&f) - blocks, <, 400);
	for (unsigned i = 0; i < 600; i++) {
		g_autofree char *name = g_strdup_printf("name%u", i);

		assert_entry(&f, i < 300 ? 257 : 258, name, 300 + i);
	}
	tear_down(&f);
}

/* Directories that must share a place. */
static void test_many_directories(void)
{
	g_autoptr(GString) text = g_string_new(NULL);
	struct fixture f;

	for (unsigned i = 0; i < 40; i++)
		g_string_append_printf(text, "%u dir 7 d%u\n", 257 + i, i);
	for (unsigned i = 0; i < 40; i++)
		g_string_append_printf(text, "%u file 7 d%u/f%u\n", 400 + i, i, i);
	set_up(&f, text->str, 4);
	for (unsigned round = 0; round < 4000; round++) {
		const unsigned i = round / 100, other = round % 40;
		g_autofree char *name = g_strdup_printf("f%u", other);

		g_assert_cmpint(lookup(&f, 257 + i, name), ==, i == other ? 0 : -ENOENT);
	}
	tear_down(&f);
}

static void test_dir_index(void)
{
	struct dir_index entry;
	struct fixture f;

	set_up(&f, "257 dir 7 d\n"
		   "258 file 7 d/a@5\n"
		   "259 file 7 d/b@2\n"
		   "260 file 7 d/c@900\n"
		   "261 dir 7 empty\n"
		   "262 dir 7 e\n"
		   "263 file 7 e/f@1 z/g@3\n"
		   "399 dir 7 z", 0);
	g_assert_cmpint(inode_reader_dir_index(f.reader, 257, 0, &entry), ==, 0);
	g_assert_cmpuint(entry.index, ==, 2);
	g_assert_cmpuint(entry.location.objectid, ==, 259);
	g_assert_cmpint(inode_reader_dir_index(f.reader, 257, 3, &entry), ==, 0);
	g_assert_cmpuint(entry.index, ==, 5);
	g_assert_cmpint(inode_reader_dir_index(f.reader, 257, 5, &entry), ==, 0);
	g_assert_cmpuint(entry.index, ==, 5);
	g_assert_cmpint(inode_reader_dir_index(f.reader, 257, 901, &entry), ==, -ENOENT);
	g_assert_cmpint(inode_reader_last_dir_index(f.reader, 257, &entry), ==, 0);
	g_assert_cmpuint(entry.index, ==, 900);
	g_assert_cmpuint(entry.location.objectid, ==, 260);
	g_assert_cmpint(inode_reader_dir_index(f.reader, 261, 0, &entry), ==, -ENOENT);
	g_assert_cmpint(inode_reader_last_dir_index(f.reader, 261, &entry), ==, -ENOENT);
	g_assert_cmpint(inode_reader_last_dir_index(f.reader, 263, &entry), ==, -ENOENT);
	g_assert_cmpint(inode_reader_last_dir_index(f.reader, 9, &entry), ==, -ENOENT);
	/* No such inode, behind a directory. */
	g_assert_cmpint(inode_reader_last_dir_index(f.reader, 400, &entry), ==, -ENOENT);
	tear_down(&f);
}

/* ---- attributes ---- */

static void assert_xattr(struct fixture *f, uint64_t ino, const char *name, const char *value)
{
	struct span span;

	g_assert_cmpint(inode_reader_xattr(f->reader, ino, span_str(name), &span), ==, 0);
	g_assert_true(span_equal(span, span_str(value)));
}

static void test_xattrs(void)
{
	struct fixture f;
	struct span value;

	set_up(&f, "257 file 7 f xattr=" SAME_A1 ":one xattr=" SAME_A2 ":two "
		   "xattr=" SAME_B1 ": xattr=user.a:b\n"
		   "258 file 7 g", 0);
	assert_xattr(&f, 257, SAME_A1, "one");
	assert_xattr(&f, 257, SAME_A2, "two");
	assert_xattr(&f, 257, SAME_B1, "");
	assert_xattr(&f, 257, "user.a", "b");
	g_assert_cmpint(inode_reader_xattr(f.reader, 257, span_str(SAME_B2), &value), ==,
			-ENOENT);
	g_assert_cmpint(inode_reader_xattr(f.reader, 258, span_str("user.a"), &value), ==,
			-ENOENT);
	tear_down(&f);
}

/* ---- extents ---- */

static void assert_extent(int r, const struct extent_item *item, uint64_t offset, uint64_t end)
{
	g_assert_cmpint(r, ==, 0);
	g_assert_cmpuint(item->offset, ==, offset);
	g_assert_cmpuint(extent_item_end(item), ==, end);
}

static void test_extents(void)
{
	struct extent_item item;
	struct fixture f;
	int r;

	set_up(&f, "257 file 7 a\n"
		   "258 file 7 f data=4k+8k@16m prealloc=64k+4k@32m hole=128k+128k\n"
		   "259 link 7 l to=some/where\n"
		   "260 file 7 g data=0+4k@48m", 0);
	r = inode_reader_extent_before(f.reader, 258, 5000, &item);
	assert_extent(r, &item, 4096, 12288);
	g_assert_cmpuint(item.extent.disk_bytenr, ==, 16 << 20);
	r = inode_reader_extent_next(f.reader, 258, &item);
	assert_extent(r, &item, 65536, 69632);
	g_assert_cmpuint(item.extent.type, ==, BTRFS_FILE_EXTENT_PREALLOC);
	r = inode_reader_extent_next(f.reader, 258, &item);
	assert_extent(r, &item, 131072, 262144);
	g_assert_cmpuint(item.extent.disk_bytenr, ==, 0);
	g_assert_cmpint(inode_reader_extent_next(f.reader, 258, &item), ==, -ENOENT);
	r = inode_reader_extent_before(f.reader, 258, UINT64_MAX, &item);
	assert_extent(r, &item, 131072, 262144);
	g_assert_cmpint(inode_reader_extent_before(f.reader, 258, 4095, &item), ==, -ENOENT);
	r = inode_reader_extent_after(f.reader, 258, 0, &item);
	assert_extent(r, &item, 4096, 12288);
	r = inode_reader_extent_after(f.reader, 258, 4097, &item);
	assert_extent(r, &item, 65536, 69632);
	g_assert_cmpint(inode_reader_extent_after(f.reader, 258, 131073, &item), ==, -ENOENT);
	r = inode_reader_extent_before(f.reader, 259, 0, &item);
	assert_extent(r, &item, 0, 4096);
	g_assert_true(span_equal(item.extent.inline_data, span_str("some/where")));
	g_assert_cmpint(inode_reader_extent_next(f.reader, 259, &item), ==, -ENOENT);
	g_assert_cmpint(inode_reader_extent_before(f.reader, 257, UINT64_MAX, &item), ==, -ENOENT);
	g_assert_cmpint(inode_reader_extent_after(f.reader, 257, 0, &item), ==, -ENOENT);
	/* No such inode, behind a file. */
	g_assert_cmpint(inode_reader_extent_before(f.reader, 261, 0, &item), ==, -ENOENT);
	tear_down(&f);
}

/* Everything of one inode over many leaves, the same as in one. */
static void test_across_leaves(void)
{
	g_autoptr(GString) text = g_string_new("257 dir 7 d\n258 file 7 f");
	struct extent_item item;
	struct dir_index entry;
	struct fixture f;
	int r;

	for (unsigned i = 0; i < 300; i++)
		g_string_append_printf(text, " %sd/name%u@%u data=%uk+4k@%um", i < 100 ? "" : "+",
				       i, i + 2, i * 8, 16 + i);
	set_up(&f, text->str, 3);
	r = inode_reader_extent_after(f.reader, 258, 0, &item);
	for (unsigned i = 0; i < 300; i++) {
		g_autofree char *name = g_strdup_printf("name%u", i);

		assert_extent(r, &item, i * 8192, i * 8192 + 4096);
		assert_entry(&f, 257, name, 258);
		g_assert_cmpint(inode_reader_dir_index(f.reader, 257, i + 2, &entry), ==, 0);
		g_assert_cmpuint(entry.index, ==, i + 2);
		r = inode_reader_extent_next(f.reader, 258, &item);
	}
	g_assert_cmpint(r, ==, -ENOENT);
	g_assert_cmpint(inode_reader_last_dir_index(f.reader, 257, &entry), ==, 0);
	g_assert_cmpuint(entry.index, ==, 301);
	r = inode_reader_extent_before(f.reader, 258, 100 * 8192 + 7000, &item);
	assert_extent(r, &item, 100 * 8192, 100 * 8192 + 4096);
	tear_down(&f);
}

/* ---- damage ---- */

static void test_unreadable(void)
{
	const struct inode_item *item;
	struct reference first;
	struct extent_item extent;
	struct key location;
	struct fixture f;
	uint64_t gen;

	set_up(&f, "257 file 7 f inline=x", 0);
	for (unsigned i = 0; i < DISKS_N; i++)
		memset(f.trees.disks->disk[i].data + f.trees.used, 0xff,
		       f.trees.disks->image->used - f.trees.used);
	for (unsigned round = 0; round < 2; round++) {
		g_assert_cmpint(inode_reader_item(f.reader, 257, &item), ==, -EBADMSG);
		g_assert_cmpint(inode_reader_generation(f.reader, 256, &gen), ==, -EBADMSG);
		g_assert_cmpint(inode_reader_first_ref(f.reader, 257, &first), ==, -EBADMSG);
		g_assert_cmpint(inode_reader_refs(f.reader, 257, note_name, NULL), ==, -EBADMSG);
		g_assert_cmpint(inode_reader_lookup(f.reader, 256, span_str("f"), &location), ==,
				-EBADMSG);
		g_assert_cmpint(inode_reader_extent_before(f.reader, 257, 0, &extent), ==,
				-EBADMSG);
	}
	tear_down(&f);
}

struct damage_test {
	struct trees trees;
	struct key key;
	unsigned n_errors;
};

static int count_name(void *user, uint64_t dir, struct span name)
{
	(void)dir;
	g_assert_cmpuint(name.len, >, 0);
	g_assert_cmpuint(name.len, <=, 255);
	++*(unsigned *)user;
	return 0;
}

/* Asks for all that the item may say; returns the first error. */
static int ask_everything(InodeReader *reader)
{
	const struct inode_item *inode;
	struct reference first;
	struct key location;
	struct dir_index entry;
	struct extent_item extent;
	struct span value;
	unsigned n_names = 0;
	const int results[] = {
		inode_reader_item(reader, 258, &inode),
		inode_reader_first_ref(reader, 258, &first),
		inode_reader_refs(reader, 258, count_name, &n_names),
		inode_reader_parents(reader, 258, count_name, &n_names),
		inode_reader_lookup(reader, 256, span_str("last"), &location),
		inode_reader_dir_index(reader, 256, 0, &entry),
		inode_reader_last_dir_index(reader, 256, &entry),
		inode_reader_xattr(reader, 258, span_str("user.a"), &value),
		inode_reader_extent_before(reader, 258, UINT64_MAX, &extent),
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(results); i++)
		if (results[i])
			return results[i];
	return 0;
}

static void ask_damaged(const ItemSet *damaged, int bit, void *user)
{
	struct damage_test *test = user;
	struct tree tree;
	InodeReader *reader;
	int r;

	trees_restart(&test->trees);
	tree = trees_put(&test->trees, 300, damaged);
	reader = inode_reader_new(&tree);
	r = ask_everything(reader);
	g_assert_true(r == 0 || r == -EUCLEAN || r == -ENOENT);
	test->n_errors += r != 0;
	if (bit >= 0 && test->key.type == BTRFS_INODE_ITEM_KEY)
		g_assert_cmpint(r, !=, -ENOENT);
	inode_reader_free(reader);
}

/* Bit by bit: an error, or something to be had without a step outside. */
static void test_damage(void)
{
	static const char text[] = "257 dir 7 d\n"
				   "258 file 7 last +d/z xattr=user.a:value data=0+4k@16m\n"
				   "259 file 7 g";
	g_autoptr(ItemSet) items = subvolume_items(text);

	for (size_t i = 0; i < item_set_count(items); i++) {
		const struct block_item item = item_set_at(items, i);
		struct damage_test test = { .key = item.key };

		if (item.key.objectid > 258 || item.data.len == 0)
			continue;
		trees_begin(&test.trees, 0, 0);
		trees_for_each_damage(items, item.key, ask_damaged, &test);
		/* No item is good in every length. */
		if (item.key.objectid == 258)
			g_assert_cmpuint(test.n_errors, >=, item.data.len);
		trees_end(&test.trees);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/inode_reader/items", test_items);
	g_test_add_func("/inode_reader/items_once", test_items_once);
	g_test_add_func("/inode_reader/names", test_names);
	g_test_add_func("/inode_reader/extended_together", test_extended_together);
	g_test_add_func("/inode_reader/lookup", test_lookup);
	g_test_add_func("/inode_reader/many_lookups", test_many_lookups);
	g_test_add_func("/inode_reader/many_directories", test_many_directories);
	g_test_add_func("/inode_reader/dir_index", test_dir_index);
	g_test_add_func("/inode_reader/xattrs", test_xattrs);
	g_test_add_func("/inode_reader/extents", test_extents);
	g_test_add_func("/inode_reader/across_leaves", test_across_leaves);
	g_test_add_func("/inode_reader/unreadable", test_unreadable);
	g_test_add_func("/inode_reader/damage", test_damage);
	return g_test_run();
}
