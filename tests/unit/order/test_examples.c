#include "sending.h"

/*
 * The worked examples of docs/send-order.md, section 15, in its order, with
 * what it leaves out ("...") put in by its rules.
 */

static void check(const char *parent, const char *snapshot, const char *expected)
{
	const struct sending sending = { .parent = parent, .snapshot = snapshot };

	assert_commands(&sending, expected);
}

static void test_child_older_than_parent(void)
{
	check(NULL,
	      "257 dir 7 b/c/a\n"
	      "258 file 7 b/c/f\n"
	      "259 dir 7 b\n"
	      "260 dir 7 b/c",
	      "chown ''\nchmod ''\n"
	      "mkdir o257-7-0\n"
	      "mkdir o260-7-0\n"
	      "rename o257-7-0 -> o260-7-0/a\n"
	      "chown o260-7-0/a\nchmod o260-7-0/a\nutimes o260-7-0/a\n"
	      "mkfile o258-7-0\n"
	      "rename o258-7-0 -> o260-7-0/f\n"
	      "chown o260-7-0/f\nchmod o260-7-0/f\nutimes o260-7-0/f\n"
	      "mkdir o259-7-0\n"
	      "rename o259-7-0 -> b\n"
	      "chown b\nchmod b\n"
	      "rename o260-7-0 -> b/c\n"
	      "chown b/c\nchmod b/c\n"
	      "utimes b/c\nutimes b\nutimes ''\n");
}

static void test_directories_swapped(void)
{
	check("257 dir 7 a\n"
	      "258 dir 7 b\n"
	      "259 file 7 a/x\n"
	      "260 file 7 b/x",
	      "256 dir 1 !\n"
	      "257 dir 7 b !\n"
	      "258 dir 7 a !\n"
	      "259 file 7 b/x\n"
	      "260 file 7 a/x",
	      "rename b -> o258-7-0\n"
	      "rename a -> b\n"
	      "rename o258-7-0 -> a\n"
	      "utimes a\nutimes ''\nutimes b\n");
}

static void test_parent_and_child_exchanged(void)
{
	check("257 dir 7 a\n"
	      "258 dir 7 a/b\n"
	      "259 dir 7 a/b/c\n"
	      "260 dir 7 a/b/c/d\n"
	      "261 dir 7 a/b/c2",
	      "257 dir 7 a\n"
	      "258 dir 7 a/b !\n"
	      "259 dir 7 a/b/c2/d2/cc !\n"
	      "260 dir 7 a/b/c2/d2 !\n"
	      "261 dir 7 a/b/c2 !",
	      "rename a/b/c/d -> a/b/c2/d2\n"
	      "rename a/b/c -> a/b/c2/d2/cc\n"
	      "utimes a/b/c2\nutimes a/b/c2/d2\nutimes a/b\nutimes a/b/c2/d2/cc\n");
}

static void test_name_held_by_waiting_directory(void)
{
	check("257 dir 7 a\n"
	      "258 dir 7 b\n"
	      "259 dir 7 c",
	      "256 dir 1 !\n"
	      "257 dir 7 x/y !\n"
	      "258 dir 7 a !\n"
	      "259 dir 7 x !",
	      "rename a -> o257-7-0\n"
	      "rename b -> a\n"
	      "utimes a\n"
	      "rename c -> x\n"
	      "rename o257-7-0 -> x/y\n"
	      "utimes x\nutimes ''\nutimes x/y\n");
}

static void test_removal_waits_for_move(void)
{
	check("257 dir 7 a\n"
	      "258 dir 7 a/b\n"
	      "259 dir 7 a/b/c\n"
	      "260 dir 7 a/b/c/x\n"
	      "261 dir 7 a/b/y\n"
	      "262 file 7 a/b/c/foo",
	      "257 dir 7 a\n"
	      "258 dir 7 a/b !\n"
	      "260 dir 7 a/b/YY/x !\n"
	      "261 dir 7 a/b/YY !",
	      "rename a/b/c -> o259-7-0\n"
	      "rename a/b/y -> a/b/YY\n"
	      "rename o259-7-0/x -> a/b/YY/x\n"
	      "unlink o259-7-0/foo\n"
	      "rmdir o259-7-0\n"
	      "utimes a/b/YY\nutimes a/b/YY/x\nutimes a/b\n");
}

static void test_times_of_a_directory_gone(void)
{
	check("257 dir 7 D/n\n"
	      "258 dir 7 X\n"
	      "259 dir 7 Zed\n"
	      "260 dir 8 D",
	      "256 dir 1 !\n"
	      "257 dir 7 Zed2/w !\n"
	      "258 dir 7 D2/n !\n"
	      "259 dir 7 Zed2 !\n"
	      "260 dir 9 D2",
	      "mkdir o260-9-0\n"
	      "rename Zed -> Zed2\n"
	      "rename D/n -> Zed2/w\n"
	      "rename X -> o260-9-0/n\n"
	      "rmdir D\n"
	      "rename o260-9-0 -> D2\n"
	      "chown D2\nchmod D2\n"
	      "utimes D2\nutimes ''\nutimes Zed2\nutimes D2/n\nutimes o260-8-0\n"
	      "utimes Zed2/w\n");
}

static void test_reference_in_regenerated_directory(void)
{
	check("257 file 7 d/f\n"
	      "258 dir 8 d",
	      "256 dir 1 !\n"
	      "257 file 7 d/f !\n"
	      "258 dir 9 d",
	      "mkdir o258-9-0\n"
	      "link o258-9-0/f to d/f\n"
	      "unlink d/f\n"
	      "utimes o258-9-0/f\n"
	      "rmdir d\n"
	      "rename o258-9-0 -> d\n"
	      "chown d\nchmod d\n"
	      "utimes d\nutimes ''\n");
}

static void test_which_name_is_used(void)
{
	check("257 dir 7 d\n"
	      "258 file 7 d/b d/zz",
	      "256 dir 1 !\n"
	      "257 dir 7 d !\n"
	      "258 file 7 x d/b !",
	      "link x to d/b\n"
	      "unlink d/zz\n"
	      "utimes d/b\n"
	      "utimes d\nutimes ''\n");
	check("257 dir 7 d\n"
	      "258 file 7 d/b d/bb",
	      "256 dir 1 !\n"
	      "257 dir 7 d !\n"
	      "258 file 7 x d/b !",
	      "link x to d/b\n"
	      "unlink d/bb\n"
	      "utimes x\n"
	      "utimes d\nutimes ''\n");
}

/* ---- 15.9 ---- */

#define N_DIRS 70u

/* d01 ... d70 are 257 ... 326, with an empty file f in each. */
static char *many_directories(const char *more, const char *touched)
{
	GString *text = g_string_new(NULL);

	for (unsigned i = 1; i <= N_DIRS; i++)
		g_string_append_printf(text, "%u dir 7 d%02u%s\n", 256 + i, i, touched);
	for (unsigned i = 1; i <= N_DIRS; i++)
		g_string_append_printf(text, "%u file 7 d%02u/f\n", 256 + N_DIRS + i, i);
	g_string_append(text, more);
	return g_string_free(text, FALSE);
}

static void assert_within(const struct sending *sending, const char *part)
{
	g_autofree char *commands = sending_commands(sending);

	if (!strstr(commands, part))
		g_test_message("without:\n%ssent:\n%s", part, commands);
	g_assert_nonnull(strstr(commands, part));
}

/* Every directory and the top once, and those that were entered again, twice. */
static void assert_times(const struct sending *sending, unsigned n)
{
	g_autofree char *commands = sending_commands(sending);
	g_auto(GStrv) lines = g_strsplit(commands, "\n", -1);
	unsigned found = 0;

	for (gchar **line = lines; *line; line++)
		found += g_str_has_prefix(*line, "utimes ") && !strchr(*line, '/');
	g_assert_cmpuint(found, ==, n);
}

static void test_trim_in_the_middle(void)
{
	g_autofree char *parent = many_directories("", "");
	g_autofree char *data = many_directories("397 file 7 d01/g inline=x\n", " !");
	g_autofree char *sub = many_directories("397 dir 7 d01/sub\n398 file 7 d01/sub/f\n", " !");
	struct sending sending = { .snapshot = parent };

	assert_within(&sending, "mkfile o327-7-0\n"
				"rename o327-7-0 -> d01/f\n"
				"chown d01/f\nchmod d01/f\nutimes d01/f\n"
				"utimes d08\n"
				"mkfile o328-7-0\n");
	sending.parent = parent;
	sending.snapshot = data;
	assert_within(&sending, "mkfile o397-7-0\n"
				"rename o397-7-0 -> d01/g\n"
				"utimes d07\n"
				"write d01/g 0+1\n"
				"chown d01/g\nchmod d01/g\nutimes d01/g\n"
				"utimes d01\nutimes d70\nutimes d69\n");
	assert_times(&sending, N_DIRS + 1);
	sending.snapshot = sub;
	assert_within(&sending, "mkdir o397-7-0\n"
				"rename o397-7-0 -> d01/sub\n"
				"utimes d07\n"
				"chown d01/sub\nchmod d01/sub\n"
				"utimes d08\n"
				"mkfile o398-7-0\n");
}

/* ---- 15.10 ---- */

static void test_file_renamed(void)
{
	check("257 file 7 old",
	      "256 dir 1 !\n"
	      "257 file 7 new !",
	      "link new to old\nunlink old\nutimes new\nutimes ''\n");
}

static void test_file_renamed_over_another(void)
{
	check("257 file 7 f1\n"
	      "258 file 7 f2",
	      "256 dir 1 !\n"
	      "257 file 7 f2 !",
	      "rename f2 -> o258-7-0\n"
	      "link f2 to f1\n"
	      "unlink f1\n"
	      "utimes f2\n"
	      "unlink o258-7-0\n"
	      "utimes ''\n");
	check("257 file 7 f1\n"
	      "258 file 7 f2",
	      "256 dir 1 !\n"
	      "258 file 7 f1 !",
	      "unlink f1\n"
	      "link f1 to f2\n"
	      "unlink f2\n"
	      "utimes f1\n"
	      "utimes ''\n");
}

static void test_three_names_rotated(void)
{
	check("257 file 7 f1\n"
	      "258 file 7 f2\n"
	      "259 file 7 f3 f3l",
	      "256 dir 1 !\n"
	      "257 file 7 f3l !\n"
	      "258 file 7 f1 !\n"
	      "259 file 7 f3 f2 !",
	      "unlink f3l\n"
	      "link f3l to f1\n"
	      "unlink f1\n"
	      "utimes f3l\n"
	      "link f1 to f2\n"
	      "unlink f2\n"
	      "utimes f1\n"
	      "link f2 to f3\n"
	      "utimes f3\n"
	      "utimes ''\n");
}

/* ---- 15.11, 15.12 ---- */

static void test_tree_removed(void)
{
	check("257 dir 7 a\n"
	      "258 dir 7 a/b\n"
	      "259 dir 7 a/b/c\n"
	      "260 file 7 a/1\n"
	      "261 file 7 a/b/2\n"
	      "262 file 7 a/b/c/3\n"
	      "263 file 7 kept",
	      "256 dir 1 !\n"
	      "263 file 7 kept",
	      "rename a -> o257-7-0\n"
	      "rename o257-7-0/b -> o258-7-0\n"
	      "rename o258-7-0/c -> o259-7-0\n"
	      "unlink o257-7-0/1\nrmdir o257-7-0\n"
	      "unlink o258-7-0/2\nrmdir o258-7-0\n"
	      "unlink o259-7-0/3\nrmdir o259-7-0\n"
	      "utimes ''\n");
	check("257 file 7 a/1\n"
	      "258 file 7 b/2\n"
	      "259 file 7 a/c/3\n"
	      "260 dir 7 a\n"
	      "261 dir 7 b\n"
	      "262 dir 7 a/c\n"
	      "263 file 7 kept",
	      "256 dir 1 !\n"
	      "263 file 7 kept",
	      "unlink a/1\n"
	      "unlink b/2\n"
	      "unlink a/c/3\n"
	      "rename a -> o260-7-0\n"
	      "rmdir b\n"
	      "rmdir o260-7-0/c\n"
	      "rmdir o260-7-0\n"
	      "utimes ''\n");
}

static void test_regenerated(void)
{
	check("257 file 7 same\n"
	      "258 file 8 x\n"
	      "259 dir 8 y\n"
	      "260 file 8 y/in\n"
	      "261 file 8 z inline=old",
	      "256 dir 1 !\n"
	      "257 file 7 same\n"
	      "259 dir 9 y2\n"
	      "261 file 9 z2 inline=new",
	      "unlink x\n"
	      "rename y -> o259-8-0\n"
	      "mkdir o259-9-0\n"
	      "rename o259-9-0 -> y2\n"
	      "chown y2\nchmod y2\nutimes y2\n"
	      "unlink o259-8-0/in\n"
	      "rmdir o259-8-0\n"
	      "unlink z\n"
	      "mkfile o261-9-0\n"
	      "rename o261-9-0 -> z2\n"
	      "write z2 0+3\n"
	      "chown z2\nchmod z2\nutimes z2\n"
	      "utimes ''\n");
}

/* ---- 15.13 ---- */

#define WHOLE "257 file 7 f data=0+256k@16m"
#define KEPT_SIZE "257 file 7 f ! flags=16 data=0+256k@16m prealloc=256k+64k@32m"

static void test_data(void)
{
	struct sending sending = { .parent = WHOLE, .snapshot = KEPT_SIZE };

	check(WHOLE,
	      "257 file 7 f ! data=0+100k@16m data=100k+12k@32m "
	      "data=112k+144k@16m+112k",
	      "write f 102400+12288\nutimes f\n");
	check(WHOLE, "257 file 7 f ! size=100001 data=0+100k@16m",
	      "truncate f 100001\nutimes f\n");
	check(WHOLE, "257 file 7 f ! data=0+64k@16m data=128k+128k@16m+128k",
	      "hole f 65536-131072 size 262144\nutimes f\n");
	check(WHOLE, KEPT_SIZE, "utimes f\n");
	sending.variant = STREAM_V2;
	assert_commands(&sending, "attr f 10\nutimes f\n");
	check(WHOLE, "257 file 7 f ! size=256k", "hole f 0-262144 size 262144\nutimes f\n");
	check(WHOLE, "257 file 7 f ! size=300k data=0+100k@16m",
	      "hole f 102400-307200 size 307200\ntruncate f 307200\nutimes f\n");
}

/* ---- 15.14 ---- */

#define REFLINKED "257 file 7 src size=200000 data=0+196k@16m\n"

static void test_clones(void)
{
	const struct sending full = { .snapshot = REFLINKED
				      "258 file 7 new size=200000 data=0+196k@16m" };

	check(REFLINKED "258 file 7 old size=300000 data=0+296k@32m",
	      REFLINKED "258 file 7 old ! size=200000 data=0+196k@16m",
	      "truncate old 0\n"
	      "clone old 0+200000 from 300:src 0\n"
	      "truncate old 200000\n"
	      "utimes old\n");
	check(REFLINKED,
	      "256 dir 1 !\n" REFLINKED "258 file 7 new size=200000 data=0+196k@16m",
	      "mkfile o258-7-0\n"
	      "rename o258-7-0 -> new\n"
	      "truncate new 0\n"
	      "clone new 0+200000 from 300:src 0\n"
	      "chown new\nchmod new\nutimes new\n"
	      "utimes ''\n");
	assert_commands(&full, "chown ''\nchmod ''\n"
			       "mkfile o257-7-0\n"
			       "rename o257-7-0 -> src\n"
			       "write src 0+200000\n"
			       "chown src\nchmod src\nutimes src\n"
			       "mkfile o258-7-0\n"
			       "rename o258-7-0 -> new\n"
			       "clone new 0+200000 from 300:src 0\n"
			       "chown new\nchmod new\nutimes new\n"
			       "utimes ''\n");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/examples/15.1", test_child_older_than_parent);
	g_test_add_func("/examples/15.2", test_directories_swapped);
	g_test_add_func("/examples/15.3", test_parent_and_child_exchanged);
	g_test_add_func("/examples/15.4", test_name_held_by_waiting_directory);
	g_test_add_func("/examples/15.5", test_removal_waits_for_move);
	g_test_add_func("/examples/15.6", test_times_of_a_directory_gone);
	g_test_add_func("/examples/15.7", test_reference_in_regenerated_directory);
	g_test_add_func("/examples/15.8", test_which_name_is_used);
	g_test_add_func("/examples/15.9", test_trim_in_the_middle);
	g_test_add_func("/examples/15.10/renamed", test_file_renamed);
	g_test_add_func("/examples/15.10/over", test_file_renamed_over_another);
	g_test_add_func("/examples/15.10/rotated", test_three_names_rotated);
	g_test_add_func("/examples/15.11", test_tree_removed);
	g_test_add_func("/examples/15.12", test_regenerated);
	g_test_add_func("/examples/15.13", test_data);
	g_test_add_func("/examples/15.14", test_clones);
	return g_test_run();
}
