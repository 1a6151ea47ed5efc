#include "fakes.h"
#include "view/listing.h"
#include "view/pair.h"

static void check_found(const char *name, const char *parent, const char *snapshot)
{
	g_auto(ViewPair) pair = { 0 };

	g_assert_cmpint(view_pair_find(NULL, name, &pair), ==, 0);
	g_assert_cmpstr(pair.snapshot->name, ==, snapshot);
	g_assert_cmpstr(pair.parent ? pair.parent->name : NULL, ==, parent);
}

static void check_refused(const char *name, int error)
{
	g_auto(ViewPair) pair = { 0 };

	g_assert_cmpint(view_pair_find(NULL, name, &pair), ==, error);
	g_assert_null(pair.snapshot);
	g_assert_null(pair.parent);
}

static void test_find(void)
{
	fake_reset();
	check_found("a", NULL, "a");
	check_found("a..b", "a", "b");
	check_found("b..a", "b", "a");
	check_found("256..b", "a", "b");
	check_found("257..258", "b", "c");
	check_found("a..work", "a", "work");
	check_refused("", -ENOENT);
	check_refused("none", -ENOENT);
	check_refused("a..none", -ENOENT);
	check_refused("none..b", -ENOENT);
	check_refused("a..", -ENOENT);
	check_refused("..b", -ENOENT);
	check_refused("a.b", -ENOENT);
	check_refused("a...b", -ENOENT);
	fake_find_error = -EXDEV;
	check_refused("a..b", -EXDEV);
	fake_find_error = -ENAMETOOLONG;
	check_refused("a..b", -ENOENT);
}

static void test_dots_in_names(void)
{
	fake_reset();
	fake_snapshots[0].name = "a.";
	fake_snapshots[1].name = ".b";
	check_found("a...c", "a.", "c");
	check_found("c...b", "c", ".b");
	check_found("a....b", "a.", ".b");
	fake_snapshots[0].name = "x..c";
	check_found("x..c", NULL, "x..c");
	check_found("x..c...b", "x..c", ".b");
}

static void test_two_readings(void)
{
	fake_reset();
	fake_snapshots[0].name = "a.";
	fake_snapshots[1].name = "a";
	fake_snapshots[2].name = "c";
	fake_snapshots[3].name = ".c";
	check_refused("a...c", -EINVAL);
	fake_snapshots[3].name = "a..c";
	check_refused("a..c", -EINVAL);
}

/* @ids: of the further clone sources, ending with 0. */
static void check_sources(const char *name, const char *parent, const uint64_t *ids,
			  const char *snapshot)
{
	g_auto(ViewPair) pair = { 0 };
	guint n = 0;

	g_assert_cmpint(view_pair_find(NULL, name, &pair), ==, 0);
	g_assert_cmpstr(pair.snapshot->name, ==, snapshot);
	g_assert_cmpstr(pair.parent->name, ==, parent);
	for (; ids[n]; n++) {
		const Snapshot *source = g_ptr_array_index(pair.clone_sources, n);

		g_assert_cmpuint(source->id, ==, ids[n]);
	}
	g_assert_cmpuint(pair.clone_sources ? pair.clone_sources->len : 0, ==, n);
}

static void test_sources(void)
{
	fake_reset();
	fake_snapshots[4] = (struct fake_snapshot){ "d", 260, 40, 4, 9, false };
	check_sources("a,c..b", "a", (const uint64_t[]){ 258, 0 }, "b");
	check_sources("a,d,c..b", "a", (const uint64_t[]){ 258, 260, 0 }, "b");
	check_sources("d,258,256..b", "d", (const uint64_t[]){ 256, 258, 0 }, "b");
	check_sources("b,a..b", "b", (const uint64_t[]){ 256, 0 }, "b");
	check_refused("a,none..b", -ENOENT);
	check_refused("none,c..b", -ENOENT);
	check_refused("a,c..none", -ENOENT);
	check_refused(",c..b", -ENOENT);
	check_refused("a,..b", -ENOENT);
	check_refused("a,,c..b", -ENOENT);
	check_refused(",..b", -ENOENT);
	check_refused("a,c", -ENOENT);
	check_refused("a..b,c", -ENOENT);
	check_refused("a,c,c..b", -EEXIST);
	check_refused("a,c,258..b", -EEXIST);
	check_refused("a,a..b", -EEXIST);
	check_refused("a,b..b", -EEXIST);
}

static void test_commas_in_names(void)
{
	fake_reset();
	fake_snapshots[4] = (struct fake_snapshot){ "a,c", 260, 40, 4, 9, false };
	check_refused("a,c..b", -EINVAL);
	check_refused("a,c,work..b", -EINVAL);
	check_refused("c,a,c..b", -EINVAL);
	check_sources("256,258..b", "a", (const uint64_t[]){ 258, 0 }, "b");
	fake_snapshots[4].name = "a,c..b";
	check_refused("a,c..b", -EINVAL);
	check_sources("a..a,c..b", "a", (const uint64_t[]){ 0 }, "a,c..b");
	fake_snapshots[4].name = "x,y";
	check_sources("x,y..b", "x,y", (const uint64_t[]){ 0 }, "b");
	check_sources("x,y,c..b", "x,y", (const uint64_t[]){ 258, 0 }, "b");
	check_sources("c,x,y,a..b", "c", (const uint64_t[]){ 256, 260, 0 }, "b");
}

static void test_too_many_sources(void)
{
	g_autoptr(GString) name = g_string_new("a");

	fake_reset();
	for (unsigned i = 1; i < VIEW_MOST_SOURCES; i++)
		g_string_append(name, ",c");
	g_string_append(name, "..b");
	check_refused(name->str, -EEXIST);
	g_string_prepend(name, "a,");
	check_refused(name->str, -E2BIG);
}

static unsigned readings(const char *name)
{
	g_autoptr(GHashTable) names = g_hash_table_new(g_str_hash, g_str_equal);
	static char known[][8] = { "a", "a.", "b", ".b", "x..y", "a,b" };

	for (size_t i = 0; i < G_N_ELEMENTS(known); i++)
		g_hash_table_add(names, known[i]);
	return view_name_readings(names, name);
}

static void test_readings(void)
{
	g_assert_cmpuint(readings("a"), ==, 1);
	g_assert_cmpuint(readings("a..b"), ==, 1);
	g_assert_cmpuint(readings("a...b"), ==, 2);
	g_assert_cmpuint(readings("a....b"), ==, 1);
	g_assert_cmpuint(readings("x..y"), ==, 1);
	g_assert_cmpuint(readings("x..y..a"), ==, 1);
	g_assert_cmpuint(readings("a,b"), ==, 1);
	g_assert_cmpuint(readings("a,b..b"), ==, 2);
	g_assert_cmpuint(readings("b,a..b"), ==, 1);
	g_assert_cmpuint(readings("q..a"), ==, 0);
	g_assert_cmpuint(readings(".."), ==, 0);
	g_assert_cmpuint(readings("..a"), ==, 0);
	g_assert_cmpuint(readings("a.."), ==, 0);
}

static void check_listing(const Listing *listing, const char *const *names)
{
	uint64_t position = 0;

	for (; names[position]; position++) {
		const struct listing_entry *entry = listing_at(listing, position);

		g_assert_nonnull(entry);
		g_assert_cmpstr(entry->name, ==, names[position]);
		g_assert_cmpuint(entry->ino, !=, 0);
	}
	g_assert_null(listing_at(listing, position));
	g_assert_null(listing_at(listing, UINT64_MAX));
}

static void test_listing(void)
{
	static const uint8_t fsid[16] = { 1 };
	static const char *const root[] = { ".", "..", "a", "b", "a..b", "c", "b..c", NULL };
	static const char *const pair_names[] = {
		".", "..", "stream", "stream-v2", "stream-v2-compressed", "stream-nodata", "info",
		NULL,
	};
	g_auto(ViewPair) pair = { 0 };
	g_autoptr(GPtrArray) snapshots = NULL;
	g_autoptr(Listing) listing = NULL, files = NULL;
	g_autoptr(NodeTable) nodes = node_table_new(fsid);

	fake_reset();
	g_assert_cmpint(catalog_list(NULL, &snapshots), ==, 0);
	listing = listing_new_root(fsid, snapshots);
	check_listing(listing, root);
	g_assert_cmpint(view_pair_find(NULL, "a..b", &pair), ==, 0);
	files = listing_new_pair(nodes, &pair, 77);
	check_listing(files, pair_names);
	g_assert_cmpuint(listing_at(files, 0)->ino, ==, 77);
	g_assert_cmpuint(listing_at(files, 1)->ino, ==, VIEW_ROOT_INO);
	g_assert_true(listing_at(files, 1)->is_directory);
	g_assert_false(listing_at(files, 2)->is_directory);
}

/* What cannot be looked up is not listed. */
static void test_listing_two_readings(void)
{
	static const uint8_t fsid[16] = { 1 };
	static const char *const root[] = { ".", "..", "a", "b", "c", "b..c", NULL };
	g_autoptr(GPtrArray) snapshots = NULL;
	g_autoptr(Listing) listing = NULL;

	fake_reset();
	fake_snapshots[3] = (struct fake_snapshot){ "a..b", 300, 1, 7, 7, false };
	g_assert_cmpint(catalog_list(NULL, &snapshots), ==, 0);
	listing = listing_new_root(fsid, snapshots);
	check_listing(listing, root);
}

static uint64_t ino_of(enum view_kind kind, enum stream_variant variant, const char *name,
		       const char *directory)
{
	static const uint8_t fsid[16] = { 1 };
	g_auto(ViewPair) pair = { 0 };
	g_autoptr(GBytes) identity = NULL;

	g_assert_cmpint(view_pair_find(NULL, name, &pair), ==, 0);
	identity = identity_new(fsid, kind, variant, &pair, directory);
	return identity_ino(identity, 0);
}

static void test_identity(void)
{
	uint64_t stream, info;

	fake_reset();
	stream = ino_of(VIEW_STREAM, STREAM_V1, "a..b", "a..b");
	info = ino_of(VIEW_INFO, STREAM_V1, "a..b", "a..b");
	g_assert_cmpuint(stream, ==, ino_of(VIEW_STREAM, STREAM_V1, "256..257", "x"));
	g_assert_cmpuint(stream, !=, info);
	for (unsigned variant = STREAM_V1 + 1; variant < STREAM_VARIANTS; variant++)
		g_assert_cmpuint(ino_of(VIEW_STREAM, variant - 1, "a..b", "a..b"), !=,
				 ino_of(VIEW_STREAM, variant, "a..b", "a..b"));
	g_assert_cmpuint(stream, !=, ino_of(VIEW_STREAM, STREAM_V1, "b..a", "b..a"));
	g_assert_cmpuint(stream, !=, ino_of(VIEW_STREAM, STREAM_V1, "b", "b"));
	g_assert_cmpuint(stream, !=, ino_of(VIEW_STREAM, STREAM_V1, "a,c..b", "a..b"));
	g_assert_cmpuint(ino_of(VIEW_STREAM, STREAM_V1, "a,c,259..b", "x"), ==,
			 ino_of(VIEW_STREAM, STREAM_V1, "a,work,c..b", "y"));
	g_assert_cmpuint(ino_of(VIEW_DIRECTORY, STREAM_V1, "a..b", "a..b"), !=,
			 ino_of(VIEW_DIRECTORY, STREAM_V1, "a..b", "256..257"));
	fake_snapshots[0].uuid = 99; /* made anew under the old name */
	g_assert_cmpuint(stream, !=, ino_of(VIEW_STREAM, STREAM_V1, "a..b", "a..b"));
	fake_snapshots[0].uuid = 1;
	fake_snapshots[1].otransid++; /* changed */
	g_assert_cmpuint(stream, !=, ino_of(VIEW_STREAM, STREAM_V1, "a..b", "a..b"));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/view/names/find", test_find);
	g_test_add_func("/view/names/dots", test_dots_in_names);
	g_test_add_func("/view/names/two-readings", test_two_readings);
	g_test_add_func("/view/names/sources", test_sources);
	g_test_add_func("/view/names/commas", test_commas_in_names);
	g_test_add_func("/view/names/too-many-sources", test_too_many_sources);
	g_test_add_func("/view/names/readings", test_readings);
	g_test_add_func("/view/names/listing", test_listing);
	g_test_add_func("/view/names/listing-two-readings", test_listing_two_readings);
	g_test_add_func("/view/names/identity", test_identity);
	return g_test_run();
}
