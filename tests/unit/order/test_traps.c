#include "sending.h"

/* The traps of docs/send-order.md, section 16, and the errors of 13. */

static void check(const char *parent, const char *snapshot, const char *expected)
{
	const struct sending sending = { .parent = parent, .snapshot = snapshot };

	assert_commands(&sending, expected);
}

static void assert_part(const struct sending *sending, const char *part, bool is_there)
{
	g_autofree char *commands = sending_commands(sending);

	if (!strstr(commands, part) == is_there)
		g_test_message("%s:\n%ssent:\n%s", is_there ? "without" : "with", part, commands);
	g_assert_true(!strstr(commands, part) != is_there);
}

/* Trap 8: stored paths are computed anew for links after a directory has lost
 * its name. */
static void test_stored_paths(void)
{
	check("257 file 7 f\n"
	      "258 dir 7 x",
	      "256 dir 1 !\n"
	      "257 file 7 x y/g !\n"
	      "258 dir 7 y !",
	      "rename x -> o258-7-0\n"
	      "link x to f\n"
	      "link o258-7-0/g to f\n"
	      "unlink f\n"
	      "utimes x\n"
	      "rename o258-7-0 -> y\n"
	      "utimes y\nutimes ''\n");
	/* The directory's name was asked for before: the stored path has it. */
	check("257 file 7 x/h\n"
	      "258 file 7 f\n"
	      "259 dir 7 x",
	      "256 dir 1 !\n"
	      "257 file 7 y/h !\n"
	      "258 file 7 x y/g !\n"
	      "259 dir 7 y !",
	      "utimes x/h\n"
	      "rename x -> o259-7-0\n"
	      "link x to f\n"
	      "link o259-7-0/g to f\n"
	      "unlink f\n"
	      "utimes x\n"
	      "rename o259-7-0 -> y\n"
	      "utimes y\nutimes ''\n");
}

/* Trap 10. */
static void test_orphan_items(void)
{
	check(NULL,
	      "257 file 7 a\n"
	      "258 file 7 links=0\n"
	      "259 file 7 links=0\n"
	      "260 file 7 z",
	      "chown ''\nchmod ''\n"
	      "mkfile o257-7-0\nrename o257-7-0 -> a\nchown a\nchmod a\nutimes a\n"
	      "mkfile o260-7-0\nrename o260-7-0 -> z\n"
	      "chown z\nchmod z\nutimes z\n"
	      "chown z\nchmod z\nutimes z\n"
	      "chown z\nchmod z\nutimes z\n"
	      "utimes ''\n");
	/* The last one is ignored: nothing is repeated. */
	check(NULL,
	      "257 file 7 a\n"
	      "258 file 7 links=0",
	      "chown ''\nchmod ''\n"
	      "mkfile o257-7-0\nrename o257-7-0 -> a\nchown a\nchmod a\nutimes a\n"
	      "utimes ''\n");
}

static void test_no_links(void)
{
	/* Lost its last name, or got its first one: half a replacement. */
	check("257 file 7 a\n258 file 7 b",
	      "256 dir 1 !\n257 file 7 links=0\n258 file 7 b",
	      "unlink a\nutimes ''\n");
	check("257 file 7 links=0\n258 file 7 b",
	      "256 dir 1 !\n257 file 7 a inline=x\n258 file 7 b",
	      "mkfile o257-7-0\nrename o257-7-0 -> a\nwrite a 0+1\n"
	      "chown a\nchmod a\nutimes a\n"
	      "chown a\nchmod a\nutimes a\n" /* the ORPHAN_ITEM is gone */
	      "utimes ''\n");
	check("257 file 7 links=0\n258 file 7 b",
	      "256 dir 1 !\n257 file 7 links=0 !\n258 file 7 b", "utimes ''\n");
}

/* Trap 11. */
static void test_capabilities(void)
{
	struct sending sending = {
		.snapshot = "257 file 7 f xattr=security.capability:CAP xattr=security.cap:1 "
			    "xattr=user.a:1 xattr=system.posix_acl_access: xattr=user.b:",
	};

	assert_part(&sending, "set f user.a=1\n", true);
	assert_part(&sending, "set f user.b=''\n", true);
	assert_part(&sending, "set f system.posix_acl_access=\002\n", true);
	assert_part(&sending, "chown f\nchmod f\nset f security.capability=CAP\nutimes f\n", true);
	assert_part(&sending, "security.cap=", false);
	check("257 file 7 f xattr=security.capability:CAP",
	      "257 file 7 f xattr=security.capability:CAP !",
	      "set f security.capability=CAP\nutimes f\n");
	check("257 file 7 f xattr=security.cap:1 xattr=user.a:1",
	      "257 file 7 f xattr=user.a:2 !",
	      "set f user.a=2\nremove f security.cap\nutimes f\n");
}

/* Trap 12. */
static void test_regenerated_contents(void)
{
	check("257 file 8 f data=0+4k@16m",
	      "257 file 9 f xattr=user.a:1 data=64k+4k@16m+64k",
	      "unlink f\n"
	      "mkfile o257-9-0\nrename o257-9-0 -> f\n"
	      "write f 65536+4096\n"
	      "set f user.a=1\n"
	      "chown f\nchmod f\nutimes f\n"
	      "utimes ''\n");
	check(NULL, "257 file 9 f xattr=user.a:1 data=64k+4k@16m",
	      "chown ''\nchmod ''\n"
	      "mkfile o257-9-0\nrename o257-9-0 -> f\n"
	      "set f user.a=1\n"
	      "write f 65536+4096\n"
	      "chown f\nchmod f\nutimes f\n"
	      "utimes ''\n");
}

/* Trap 13. */
static void test_preallocated(void)
{
	check("257 file 7 f data=0+4k@16m",
	      "257 file 7 f ! size=104k data=0+4k@16m prealloc=4k+100k@32m",
	      "write f 4096+102400\nutimes f\n");
	check(NULL, "257 file 7 f size=104k data=0+4k@16m prealloc=4k+100k@32m",
	      "chown ''\nchmod ''\n"
	      "mkfile o257-7-0\nrename o257-7-0 -> f\n"
	      "write f 0+4096\ntruncate f 106496\n"
	      "chown f\nchmod f\nutimes f\n"
	      "utimes ''\n");
}

/* Trap 15. */
static void test_flags(void)
{
	struct sending sending = { .snapshot = "257 file 7 f flags=16",
				   .variant = STREAM_V2 };

	assert_part(&sending, "attr", false);
	sending.parent = "257 file 8 f";
	assert_part(&sending, "attr", false);
	sending.parent = "257 file 7 f";
	sending.snapshot = "257 file 7 f flags=80";
	assert_commands(&sending, "attr f 50\nutimes f\n");
}

static void test_owners_and_modes(void)
{
	struct sending sending = {
		.parent = "257 file 7 a\n258 file 7 b\n259 link 7 c to=x",
		.snapshot = "257 file 7 a ! uid=5\n258 file 7 b ! mode=4755\n"
			    "259 link 7 c ! to=x mode=700 gid=6",
		.with_attributes = true,
	};

	assert_commands(&sending, "chown a 5:100\nutimes a\n"
				  "chmod b 4755\nutimes b\n"
				  "chown c 1000:6\nutimes c\n");
}

/* Trap 16. */
static void test_subvolume_entries(void)
{
	check("257 dir 7 d\n400 subvol 0 d/sub\n258 file 7 f",
	      "256 dir 1 !\n258 file 7 f ! uid=5",
	      "rename d -> o257-7-0\nchown f\nutimes f\nutimes ''\n");
	check("257 dir 7 d\n256 subvol 0 d/sub\n258 file 7 f",
	      "256 dir 1 !\n258 file 7 f",
	      "rmdir d\nutimes ''\n");
	/* Never overwritten, never sent. */
	check("257 dir 7 d\n400 subvol 0 x",
	      "256 dir 1 !\n257 dir 7 x !\n400 subvol 0 y",
	      "rename d -> x\nutimes x\nutimes ''\n");
}

/* Trap 18. */
static void test_directory_once(void)
{
	check("257 dir 7 d\n258 file 7 d/a d/b\n259 file 7 kept",
	      "256 dir 1 !\n259 file 7 kept",
	      "rename d -> o257-7-0\n"
	      "unlink o257-7-0/a\nunlink o257-7-0/b\n"
	      "rmdir o257-7-0\n"
	      "utimes ''\n");
}

/* Trap 20. */
static void test_orphan_names(void)
{
	check(NULL,
	      "257 file 7 new\n258 dir 7 d\n259 file 7 o257-7-0\n260 file 7 d/o257-7-1",
	      "chown ''\nchmod ''\n"
	      "mkfile o257-7-1\nrename o257-7-1 -> new\n"
	      "chown new\nchmod new\nutimes new\n"
	      "mkdir o258-7-0\nrename o258-7-0 -> d\nchown d\nchmod d\n"
	      "mkfile o259-7-0\nrename o259-7-0 -> o257-7-0\n"
	      "chown o257-7-0\nchmod o257-7-0\nutimes o257-7-0\n"
	      "mkfile o260-7-0\nrename o260-7-0 -> d/o257-7-1\n"
	      "chown d/o257-7-1\nchmod d/o257-7-1\nutimes d/o257-7-1\n"
	      "utimes d\nutimes ''\n");
	check("257 file 7 o258-7-0",
	      "256 dir 1 !\n258 file 7 new",
	      "unlink o258-7-0\n"
	      "mkfile o258-7-1\nrename o258-7-1 -> new\n"
	      "chown new\nchmod new\nutimes new\n"
	      "utimes ''\n");
}

static void test_special_files(void)
{
	check(NULL,
	      "257 fifo 7 a\n258 sock 7 b\n259 chr 7 c rdev=0x100003\n260 link 7 d to=c/x\n"
	      "261 blk 7 e rdev=0x800001",
	      "chown ''\nchmod ''\n"
	      "mkfifo o257-7-0\nrename o257-7-0 -> a\nchown a\nchmod a\nutimes a\n"
	      "mksock o258-7-0\nrename o258-7-0 -> b\nchown b\nchmod b\nutimes b\n"
	      "mknod o259-7-0 20644 100003\nrename o259-7-0 -> c\nchown c\nchmod c\nutimes c\n"
	      "symlink o260-7-0 to c/x\nrename o260-7-0 -> d\nchown d\nutimes d\n"
	      "mknod o261-7-0 60644 800001\nrename o261-7-0 -> e\nchown e\nchmod e\nutimes e\n"
	      "utimes ''\n");
}

/* The root directory is never made anew. */
static void test_root(void)
{
	check("256 dir 1", "256 dir 2", "utimes ''\n");
	check("257 file 7 f", "257 file 7 f", "");
}

/* ---- section 13 ---- */

static int ending(const char *parent, const char *snapshot)
{
	const struct sending sending = { .parent = parent, .snapshot = snapshot };
	g_autofree char *commands = NULL;

	return sending_run(&sending, &commands);
}

static void test_errors(void)
{
	GString *deep = g_string_new(NULL), *path = g_string_new(NULL);

	/* References or attributes change, the inode item does not. */
	g_assert_cmpint(ending("257 file 7 a", "257 file 7 b"), ==, -EIO);
	g_assert_cmpint(ending("257 file 7 a", "257 file 7 a xattr=user.a:1"), ==, -EIO);
	g_assert_cmpint(ending("257 file 7 a xattr=user.a:1", "257 file 7 a"), ==, -EIO);
	/* Extents: not seen. */
	g_assert_cmpint(ending("257 file 7 a size=4k data=0+4k@16m",
			       "257 file 7 a size=4k data=0+4k@32m"),
			==, 0);
	g_assert_cmpint(ending(NULL, "257 odd 7 a"), ==, -EUCLEAN);
	g_assert_cmpint(ending(NULL, "257 link 7 a"), ==, -EIO);
	g_assert_cmpint(ending(NULL, "257 link 7 a data=0+4k@16m"), ==, -EUCLEAN);
	/* Nothing says what it is called. */
	g_assert_cmpint(ending(NULL, "257 dir 7 ! size=4\n258 file 7 a"), ==, -ENOENT);
	for (unsigned i = 0; i < 40; i++) {
		g_string_append_printf(path, "%s%0120u", i ? "/" : "", i);
		g_string_append_printf(deep, "%u dir 7 %s\n", 257 + i, path->str);
	}
	g_assert_cmpint(ending(NULL, deep->str), ==, -ENAMETOOLONG);
	g_string_free(deep, TRUE);
	g_string_free(path, TRUE);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/traps/stored_paths", test_stored_paths);
	g_test_add_func("/traps/orphan_items", test_orphan_items);
	g_test_add_func("/traps/no_links", test_no_links);
	g_test_add_func("/traps/capabilities", test_capabilities);
	g_test_add_func("/traps/regenerated_contents", test_regenerated_contents);
	g_test_add_func("/traps/preallocated", test_preallocated);
	g_test_add_func("/traps/flags", test_flags);
	g_test_add_func("/traps/owners_and_modes", test_owners_and_modes);
	g_test_add_func("/traps/subvolume_entries", test_subvolume_entries);
	g_test_add_func("/traps/directory_once", test_directory_once);
	g_test_add_func("/traps/orphan_names", test_orphan_names);
	g_test_add_func("/traps/special_files", test_special_files);
	g_test_add_func("/traps/root", test_root);
	g_test_add_func("/traps/errors", test_errors);
	return g_test_run();
}
