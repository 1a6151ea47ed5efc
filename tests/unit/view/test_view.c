#include "fakes.h"
#include "view/view.h"
#include "view/waiters.h"
#include <stdatomic.h>
#include <unistd.h>

static View *new_view(void)
{
	const struct view_options options = { .uid = 7, .gid = 8, .umask = 077 };

	fake_reset();
	return view_new(NULL, NULL, NULL, &options);
}

static uint64_t lookup(View *view, const char *directory, const char *file)
{
	struct view_entry entry;

	g_assert_cmpint(view_lookup(view, VIEW_ROOT_ID, directory, &entry), ==, 0);
	if (file)
		g_assert_cmpint(view_lookup(view, entry.id, file, &entry), ==, 0);
	return entry.id;
}

static bool never(void *user)
{
	(void)user;
	return false;
}

static bool always(void *user)
{
	(void)user;
	return true;
}

/* As the kernel does it: opens again after the first -ESTALE. */
static ViewFile *open_file(View *view, uint64_t id)
{
	ViewFile *file = NULL;
	int r = view_open(view, id, never, NULL, &file);

	if (r == -ESTALE)
		r = view_open(view, id, never, NULL, &file);
	g_assert_cmpint(r, ==, 0);
	return file;
}

static void test_lookup(void)
{
	g_autoptr(View) view = new_view();
	struct view_entry entry;

	g_assert_cmpint(view_lookup(view, VIEW_ROOT_ID, "none", &entry), ==, -ENOENT);
	g_assert_cmpint(view_lookup(view, VIEW_ROOT_ID, "work", &entry), ==, -EPERM);
	g_assert_cmpint(view_lookup(view, VIEW_ROOT_ID, "a..work", &entry), ==, -EPERM);
	g_assert_cmpint(view_lookup(view, VIEW_ROOT_ID, "work..a", &entry), ==, -EPERM);
	g_assert_cmpint(view_lookup(view, 4711, "a", &entry), ==, -ESTALE);
	g_assert_cmpint(view_lookup(view, VIEW_ROOT_ID, "a..b", &entry), ==, 0);
	g_assert_true(entry.exact);
	g_assert_cmpuint(entry.attributes.st_mode, ==, S_IFDIR | 0500);
	g_assert_cmpint(view_lookup(view, entry.id, "none", &entry), ==, -ENOENT);
	g_assert_cmpint(view_lookup(view, entry.id, "stream", &entry), ==, 0);
	g_assert_false(entry.exact);
	g_assert_cmpuint(entry.attributes.st_mode, ==, S_IFREG | 0400);
	g_assert_cmpint(view_lookup(view, entry.id, "x", &entry), ==, -ENOTDIR);
	fake_find_error = -EBADMSG;
	g_assert_cmpint(view_lookup(view, VIEW_ROOT_ID, "a", &entry), ==, -EIO);
	fake_find_error = -EXDEV;
	g_assert_cmpint(view_lookup(view, VIEW_ROOT_ID, "a", &entry), ==, -EXDEV);
	g_assert_cmpint(fake_streams_begun, ==, 0);
}

static void test_attributes(void)
{
	g_autoptr(View) view = new_view();
	const uint64_t id = lookup(view, "a..b", "stream");
	struct view_entry entry;
	struct stat st;

	g_assert_true(view_waits(view, id));
	g_assert_cmpint(view_attributes(view, id, never, NULL, &st), ==, 0);
	g_assert_false(view_waits(view, id));
	g_assert_cmpint(st.st_size, ==, 1000003);
	g_assert_cmpint(st.st_blocks, ==, 1000003 / 512 + 1);
	g_assert_cmpint(st.st_mtime, ==, 1700000020);
	g_assert_cmpuint(st.st_uid, ==, 7);
	g_assert_cmpuint(st.st_gid, ==, 8);
	g_assert_cmpuint(st.st_nlink, ==, 1);
	g_assert_cmpuint(st.st_ino, >, VIEW_ROOT_INO);
	g_assert_cmpint(view_lookup(view, lookup(view, "a..b", NULL), "stream", &entry), ==, 0);
	g_assert_cmpuint(entry.id, ==, id);
	g_assert_true(entry.exact); /* or the kernel would cut its page cache */
	g_assert_cmpint(entry.attributes.st_size, ==, 1000003);
	g_assert_cmpint(fake_streams_begun, ==, 1);
	g_assert_cmpint(view_attributes(view, VIEW_ROOT_ID, never, NULL, &st), ==, 0);
	g_assert_cmpuint(st.st_ino, ==, VIEW_ROOT_INO);
	g_assert_cmpuint(st.st_mode, ==, S_IFDIR | 0500);
}

static void test_errors(void)
{
	g_autoptr(View) view = new_view();
	const uint64_t id = lookup(view, "a", "stream");
	ViewFile *file = NULL;
	struct stat st;
	static const int errors[][2] = {
		{ -EIO, -EIO },		{ -EBADMSG, -EIO },	  { -EUCLEAN, -EIO },
		{ -ESTALE, -ESTALE },	{ -ECANCELED, -EINTR },	  { -ENOSPC, -EIO },
		{ -ENOMEM, -ENOMEM },	{ -EOPNOTSUPP, -EOPNOTSUPP },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(errors); i++) {
		fake_plan_error = errors[i][0];
		g_assert_cmpint(view_attributes(view, id, never, NULL, &st), ==, errors[i][1]);
		g_assert_cmpint(view_open(view, id, never, NULL, &file), ==, errors[i][1]);
	}
	fake_plan_error = 0;
	fake_open_error = -ENOENT;
	g_assert_cmpint(view_attributes(view, id, never, NULL, &st), ==, -ENOENT);
	fake_open_error = 0;
	fake_plan_held = true;
	g_assert_cmpint(view_attributes(view, id, always, NULL, &st), ==, -EINTR);
	g_assert_cmpint(view_open(view, id, always, NULL, &file), ==, -EINTR);
	g_assert_cmpint(view_open(view, VIEW_ROOT_ID, never, NULL, &file), ==, -EISDIR);
	g_assert_cmpint(view_open(view, 4711, never, NULL, &file), ==, -ESTALE);
	g_assert_cmpint(fake_streams_open, ==, 0);
}

static void check_slice(ViewFile *file, uint64_t offset, size_t len)
{
	g_autofree uint8_t *buffer = g_malloc(len);
	size_t expected = offset < fake_size ? MIN(len, fake_size - offset) : 0;
	size_t got = SIZE_MAX;

	g_assert_cmpint(view_file_read(file, offset, buffer, len, false, &got), ==, 0);
	g_assert_cmpuint(got, ==, expected);
	for (size_t i = 0; i < got; i++)
		g_assert_cmpuint(buffer[i], ==, fake_byte(offset + i));
}

static void test_read(void)
{
	g_autoptr(View) view = new_view();
	const uint64_t id = lookup(view, "a", "stream");
	g_autoptr(ViewFile) file = NULL;

	g_assert_cmpint(view_open(view, id, never, NULL, &file), ==, -ESTALE);
	file = open_file(view, id);
	fake_read_most = 4000; /* what is below may give little at a time */
	check_slice(file, 0, 131072);
	check_slice(file, 999999, 131072);
	check_slice(file, 1000002, 1);
	check_slice(file, 1000003, 10);
	check_slice(file, UINT64_MAX - 5, 10);
}

/* A short read would look like the end of the file. */
static void test_read_damaged(void)
{
	g_autoptr(View) view = new_view();
	g_autoptr(ViewFile) file = open_file(view, lookup(view, "a", "stream"));
	uint8_t buffer[8192];
	size_t got = 0;

	fake_read_error = -EBADMSG;
	fake_read_error_at = 5000;
	g_assert_cmpint(view_file_read(file, 0, buffer, 8192, false, &got), ==, -EIO);
	g_assert_cmpint(view_file_read(file, 0, buffer, 4096, false, &got), ==, 0);
	g_assert_cmpuint(got, ==, 4096);
	g_assert_cmpint(view_file_read(file, 0, buffer, 8192, true, &got), ==, 0);
	g_assert_cmpuint(got, ==, 5000);
	g_assert_cmpint(view_file_read(file, 5000, buffer, 8192, true, &got), ==, -EIO);
	fake_read_error = 0;
	fake_size = 5000; /* less than it said */
	g_assert_cmpint(view_file_read(file, 4096, buffer, 4096, false, &got), ==, -EIO);
}

static void test_seek(void)
{
	g_autoptr(View) view = new_view();
	g_autoptr(ViewFile) file = open_file(view, lookup(view, "a", "stream"));
	uint64_t at = 0;

	g_assert_cmpint(view_file_seek(file, 5, SEEK_DATA, &at), ==, 0);
	g_assert_cmpuint(at, ==, 5);
	g_assert_cmpint(view_file_seek(file, 5, SEEK_HOLE, &at), ==, 0);
	g_assert_cmpuint(at, ==, fake_size);
	g_assert_cmpint(view_file_seek(file, fake_size, SEEK_DATA, &at), ==, -ENXIO);
	g_assert_cmpint(view_file_seek(file, fake_size, SEEK_HOLE, &at), ==, -ENXIO);
	g_assert_cmpint(view_file_seek(file, 0, SEEK_SET, &at), ==, -EINVAL);
}

static void test_info(void)
{
	g_autoptr(View) view = new_view();
	const uint64_t id = lookup(view, "a,c..b", "info");
	g_autoptr(ViewFile) file = NULL;
	char text[4096] = "";
	size_t got = 0;
	struct stat st;

	g_assert_cmpint(view_attributes(view, id, never, NULL, &st), ==, 0);
	file = open_file(view, id);
	g_assert_cmpint(fake_streams_begun, ==, 1); /* the text is kept */
	g_assert_cmpint(fake_streams_open, ==, 0);
	g_assert_cmpint(view_file_read(file, 0, text, sizeof(text) - 1, false, &got), ==, 0);
	g_assert_cmpuint((size_t)st.st_size, ==, got);
	g_assert_cmpuint(strlen(text), ==, got);
	g_assert_nonnull(strstr(text, "type=incremental\n"));
	g_assert_nonnull(strstr(text, "snapshot_name=b\n"));
	g_assert_nonnull(strstr(text, "snapshot_uuid=02000000-0000-0000-0000-000000000000\n"));
	g_assert_nonnull(strstr(text, "parent_name=a\n"));
	g_assert_nonnull(strstr(text, "clone_sources=1\n"));
	g_assert_nonnull(strstr(text, "clone_source_1_name=c\n"));
	g_assert_nonnull(strstr(text, "clone_source_1_transid=30\n"));
	g_assert_nonnull(strstr(text, "\nsize=1000003\n"));
	g_assert_nonnull(strstr(text, "\nsize_v2=1000004\n"));
	g_assert_nonnull(strstr(text, "\nsize_v2_compressed=1000005\n"));
	g_assert_nonnull(strstr(text, "\nsize_nodata=1000006\n"));
	g_assert_nonnull(strstr(text, "commands=5\n"));
	g_assert_nonnull(strstr(text, "commands_mkfile=3\n"));
	g_assert_null(strstr(text, "commands_clone"));
	g_assert_cmpint(view_file_read(file, 4, text, 3, false, &got), ==, 0);
	g_assert_cmpuint(got, ==, 3);
	g_assert_cmpint(memcmp(text, "=in", 3), ==, 0);
}

static void test_forget(void)
{
	static const uint8_t fsid[16] = { 1 };
	g_autoptr(NodeTable) table = node_table_new(fsid);
	g_auto(ViewPair) pair = { 0 };
	struct node_wish wish = { VIEW_STREAM, STREAM_V1, &pair, "a" };
	ViewNode *node;
	uint64_t id;

	fake_reset();
	g_assert_cmpint(view_pair_find(NULL, "a", &pair), ==, 0);
	node = node_table_lookup(table, &wish);
	id = node->id;
	view_node_unref(node);
	view_node_unref(node_table_lookup(table, &wish));
	g_assert_cmpuint(node_table_count(table), ==, 1);
	node_table_forget(table, id, 1);
	g_assert_cmpuint(node_table_count(table), ==, 1);
	node = node_table_get(table, id);
	node_table_forget(table, id, 1);
	g_assert_cmpuint(node_table_count(table), ==, 1); /* held */
	view_node_unref(node);
	g_assert_cmpuint(node_table_count(table), ==, 0);
	node_table_forget(table, id, 1);
	node = node_table_lookup(table, &wish);
	g_assert_cmpuint(node->id, !=, id);
	view_node_unref(node);
	node_table_forget(table, VIEW_ROOT_ID, 5);
	node = node_table_get(table, VIEW_ROOT_ID);
	g_assert_nonnull(node);
	view_node_unref(node);
}

/* A snapshot made anew is another node; who has the old one open keeps it. */
static void test_made_anew(void)
{
	g_autoptr(View) view = new_view();
	const uint64_t old = lookup(view, "a", "stream");
	g_autoptr(ViewFile) file = open_file(view, old);

	fake_snapshots[0].uuid = 77;
	fake_snapshots[0].otransid = 11;
	g_assert_cmpuint(lookup(view, "a", "stream"), !=, old);
	check_slice(file, 0, 100);
}

/* A plan made once more that comes out otherwise never mixes with the first. */
static void plan_otherwise(bool same_size)
{
	g_autoptr(View) view = new_view();
	const uint64_t old = lookup(view, "a", "stream");
	g_autoptr(Listing) listing = NULL;
	ViewFile *file = open_file(view, old);
	struct stat before, after;
	uint64_t id;

	view_file_close(file);
	g_assert_cmpint(view_attributes(view, old, never, NULL, &before), ==, 0);
	if (same_size)
		fake_digest++;
	else
		fake_size = 500;
	g_assert_cmpint(view_open(view, old, never, NULL, &file), ==, -ESTALE);
	id = lookup(view, "a", "stream");
	g_assert_cmpuint(id, !=, old);
	g_assert_true(view_waits(view, id));
	g_assert_cmpint(view_attributes(view, id, never, NULL, &after), ==, 0);
	g_assert_cmpuint(before.st_ino, !=, after.st_ino);
	g_assert_cmpint(before.st_mtime, !=, after.st_mtime);
	g_assert_cmpint(view_list(view, lookup(view, "a", NULL), &listing), ==, 0);
	g_assert_cmpstr(listing_at(listing, 2)->name, ==, "stream");
	g_assert_cmpuint(listing_at(listing, 2)->ino, ==, after.st_ino);
}

static void test_planned_otherwise(void)
{
	plan_otherwise(false);
	plan_otherwise(true);
}

static void test_statfs(void)
{
	g_autoptr(View) view = new_view();
	struct statvfs numbers;

	g_assert_cmpint(view_statfs(view, &numbers), ==, 0);
	g_assert_cmpuint(numbers.f_blocks * numbers.f_frsize, ==, 1 << 30);
	g_assert_cmpuint((numbers.f_blocks - numbers.f_bfree) * numbers.f_frsize, ==, 1 << 28);
	g_assert_cmpuint(numbers.f_bavail, ==, 0);
}

struct many {
	View *view;
	Waiters *waiters;
	uint64_t id;
	_Atomic int done, interrupted;
};

static bool ending(void *user)
{
	const struct many *many = user;

	return waiters_ending(many->waiters);
}

static void wait_for_size(void *job)
{
	struct many *many = job;
	struct stat st;
	const int r = view_attributes(many->view, many->id, ending, many, &st);

	if (r == 0)
		many->done++;
	else if (r == -EINTR)
		many->interrupted++;
}

static void run_many(View *view, bool let_go, int *ret_done, int *ret_interrupted)
{
	struct many many = { .view = view, .waiters = waiters_new() };

	many.id = lookup(view, "a", "stream");
	fake_plan_held = true;
	for (int i = 0; i < 50; i++)
		g_assert_cmpint(waiters_start(many.waiters, wait_for_size, &many), ==, 0);
	lookup(view, "a..b", "stream"); /* others are served */
	if (let_go)
		fake_plan_held = false;
	while (let_go && many.done < 50)
		usleep(1000);
	waiters_free(many.waiters);
	*ret_done = many.done;
	*ret_interrupted = many.interrupted;
}

static void test_many_waiting(void)
{
	g_autoptr(View) view = new_view();
	int done, interrupted;

	run_many(view, false, &done, &interrupted);
	g_assert_cmpint(interrupted, ==, 50);
	run_many(view, true, &done, &interrupted);
	g_assert_cmpint(done, ==, 50);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/view/lookup", test_lookup);
	g_test_add_func("/view/attributes", test_attributes);
	g_test_add_func("/view/errors", test_errors);
	g_test_add_func("/view/read", test_read);
	g_test_add_func("/view/read-damaged", test_read_damaged);
	g_test_add_func("/view/seek", test_seek);
	g_test_add_func("/view/info", test_info);
	g_test_add_func("/view/forget", test_forget);
	g_test_add_func("/view/made-anew", test_made_anew);
	g_test_add_func("/view/planned-otherwise", test_planned_otherwise);
	g_test_add_func("/view/statfs", test_statfs);
	g_test_add_func("/view/many-waiting", test_many_waiting);
	return g_test_run();
}
