#include "view/mountinfo.h"
#include "view/options.h"

static Options *parse(const char *line, GError **error)
{
	g_auto(GStrv) argv = g_strsplit(line, " ", -1);

	return options_parse((int)g_strv_length(argv), argv, error);
}

static Options *good(const char *line)
{
	g_autoptr(GError) error = NULL;
	Options *options = parse(line, &error);

	g_assert_no_error(error);
	return options;
}

static bool passed_on(const Options *options, const char *arg)
{
	for (guint i = 0; i + 1 < options->library_args->len; i++)
		if (g_str_equal(g_ptr_array_index(options->library_args, i), arg))
			return true;
	return false;
}

static void test_all(void)
{
	g_autoptr(Options) o = good(
		"sendfs -f -o cache=1G,readahead=0,workers=9,uid=5,gid=6,umask=022 src "
		"-osnapshots=*/@home,device=/dev/b -o device=/dev/c,degraded,plans=/x mnt -s");

	g_assert_cmpstr(o->source, ==, "src");
	g_assert_cmpstr(o->mountpoint, ==, "mnt");
	g_assert_true(o->degraded);
	g_assert_true(o->foreground && o->single_thread && !o->debug);
	g_assert_cmpuint(o->cache_bytes, ==, 1 << 30);
	g_assert_cmpuint(o->readahead_bytes, ==, 0);
	g_assert_cmpuint(o->n_workers, ==, 9);
	g_assert_cmpuint(o->uid, ==, 5);
	g_assert_cmpuint(o->gid, ==, 6);
	g_assert_cmpuint(o->umask, ==, 022);
	g_assert_cmpstr(o->pattern, ==, "*/@home");
	g_assert_cmpstr(o->plans, ==, "/x");
	g_assert_cmpuint(o->devices->len, ==, 2);
	g_assert_cmpstr(g_ptr_array_index(o->devices, 1), ==, "/dev/c");
	g_assert_true(passed_on(o, "-oro"));
	g_assert_true(passed_on(o, "-ofsname=src"));
	g_assert_true(passed_on(o, "-osubtype=sendfs"));
}

static void test_fstab(void)
{
	g_autoptr(Options) o = good(
		"sendfs a,b mnt -o rw,defaults,nofail,noauto,nosuid,nodev,noexec,noatime,_netdev,"
		"user,users,x-systemd.automount,x-gvfs-show,comment=hello,allow_other,"
		"default_permissions,max_read=65536,dev,suid,exec");

	g_assert_true(passed_on(o, "-oro"));
	g_assert_false(passed_on(o, "-orw"));
	g_assert_false(passed_on(o, "-osuid"));
	g_assert_true(passed_on(o, "-onoexec"));
	g_assert_true(passed_on(o, "-oallow_other"));
	g_assert_true(passed_on(o, "-omax_read=65536"));
	g_assert_cmpuint(o->max_read, ==, 65536);
	g_assert_true(passed_on(o, "-ofsname=a\\,b"));
}

static void test_defaults(void)
{
	g_autoptr(Options) o = good("sendfs -d src mnt");

	g_assert_true(o->foreground && o->debug);
	g_assert_true(passed_on(o, "-d"));
	g_assert_cmpuint(o->cache_bytes, ==, 128 << 20);
	g_assert_cmpuint(o->readahead_bytes, ==, 8 << 20);
	g_assert_cmpuint(o->n_workers, ==, 4);
	g_assert_cmpuint(o->umask, ==, 077);
	g_assert_null(o->pattern);
}

static void test_bad(void)
{
	static const struct {
		const char *line, *text;
		int status;
	} table[] = {
		{ "sendfs", "SOURCE and MOUNTPOINT are missing (see sendfs --help)", 1 },
		{ "sendfs a", "MOUNTPOINT is missing (see sendfs --help)", 2 },
		{ "sendfs a b c", "one argument too many: 'c'", 1 },
		{ "sendfs a b -o", "option '-o' needs a value", 1 },
		{ "sendfs a b -o foo", "unknown option 'foo'", 1 },
		{ "sendfs a b -o cache=1G,foo=2", "unknown option 'foo=2'", 1 },
		{ "sendfs a b -q", "unknown option '-q'", 1 },
		{ "sendfs --foo a b", "unknown option '--foo'", 1 },
		{ "sendfs a b -o cache=x", "bad value 'x' for option 'cache': a size such as 64M is "
					   "wanted", 1 },
		{ "sendfs a b -o cache=", "bad value '' for option 'cache': a size such as 64M is "
					  "wanted", 1 },
		{ "sendfs a b -o cache=4K", "bad value '4K' for option 'cache': at least 1M is "
					    "wanted", 1 },
		{ "sendfs a b -o readahead=-1", "bad value '-1' for option 'readahead': a size such "
						"as 64M is wanted", 1 },
		{ "sendfs a b -o workers=999", "bad value '999' for option 'workers': a number up to "
					       "256 is wanted", 1 },
		{ "sendfs a b -o uid=root", "bad value 'root' for option 'uid': a number is wanted",
		  1 },
		{ "sendfs a b -o umask=8", "bad value '8' for option 'umask': an octal number up to "
					   "777 is wanted", 1 },
		{ "sendfs a b -o snapshots=x", "bad value 'x' for option 'snapshots': a path with one "
					       "'*' is wanted", 1 },
		{ "sendfs a b -o device=", "bad value '' for option 'device': something is wanted",
		  1 },
		{ "sendfs a b -o max_threads=0", "bad value '0' for option 'max_threads': at least 1 "
						 "is wanted", 1 },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
		g_autoptr(GError) error = NULL;

		g_assert_null(parse(table[i].line, &error));
		g_assert_nonnull(error);
		g_assert_cmpstr(error->message, ==, table[i].text);
		g_assert_cmpint(error->code, ==, table[i].status);
	}
}

static void test_help(void)
{
	g_autoptr(Options) help = good("sendfs --help");
	g_autoptr(Options) version = good("sendfs -V");

	g_assert_true(help->help);
	g_assert_true(version->version);
}

static void test_size(void)
{
	static const struct {
		const char *text;
		uint64_t size;
	} sizes[] = { { "0", 0 },      { "1", 1 },	    { "3k", 3 << 10 },
		      { "5M", 5 << 20 }, { "2G", UINT64_C(2) << 30 }, { "1T", UINT64_C(1) << 40 } };
	static const char *const bad[] = { "",	"M",   "-1", "1MB", "1 M", "0x10",
					   "+1", "1.5", "1P", "18446744073709551615K",
					   "18446744073709551616" };
	uint64_t size = 1;

	for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
		g_assert_true(options_size(sizes[i].text, &size));
		g_assert_cmpuint(size, ==, sizes[i].size);
	}
	for (size_t i = 0; i < G_N_ELEMENTS(bad); i++)
		g_assert_false(options_size(bad[i], &size));
}

static void test_mountinfo(void)
{
	static const char text[] =
		"22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
		"40 22 0:50 / /mnt/a\\040b rw - tmpfs tmpfs rw\n"
		"41 22 0:51 /sub /mnt/c rw,nosuid shared:3 master:2 - btrfs /dev/sdb rw\n"
		"42 41 0:52 / /mnt/c ro,nosuid - fuse.sendfs /pool ro\n"
		"43 42 0:53\n"
		"44 42 0:54 / /mnt/d ro,nosuid -\n";
	g_auto(Mountinfo) info = { 0 };

	g_assert_false(mountinfo_find_in(text, "/mnt", &info));
	g_assert_false(mountinfo_find_in(text, "/mnt/d", &info));
	g_assert_true(mountinfo_find_in(text, "/mnt/c", &info));
	g_assert_cmpstr(info.type, ==, "fuse.sendfs");
	g_assert_cmpstr(info.device, ==, "0:52");
	mountinfo_clear(&info);
	g_assert_true(mountinfo_find_in(text, "/mnt/a b", &info));
	g_assert_cmpstr(info.type, ==, "tmpfs");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/options/all", test_all);
	g_test_add_func("/options/fstab", test_fstab);
	g_test_add_func("/options/defaults", test_defaults);
	g_test_add_func("/options/bad", test_bad);
	g_test_add_func("/options/help", test_help);
	g_test_add_func("/options/size", test_size);
	g_test_add_func("/options/mountinfo", test_mountinfo);
	return g_test_run();
}
