#include "btrfs/subvol/pattern.h"
#include "btrfs/fs/fs.h"
#include <errno.h>

static void assert_match(const char *text, const char *path, const char *name)
{
	struct pattern *pattern = pattern_new(text, NULL);
	g_autofree char *got = pattern_match(pattern, path);

	g_assert_cmpstr(got, ==, name);
	if (name) {
		g_autofree char *back = pattern_path(pattern, name);

		g_assert_cmpstr(back, ==, path);
	}
	pattern_free(pattern);
}

static void test_match(void)
{
	assert_match("*", "a", "a");
	assert_match("*", "a/b", NULL);
	assert_match("*/snapshot", "12/snapshot", "12");
	assert_match("*/snapshot", "12/snapshots", NULL);
	assert_match("*/snapshot", "/snapshot", NULL);
	assert_match("*/snapshot", "../snapshot", NULL);
	assert_match("a/b/h-*.ro/c/d", "a/b/h-x.ro/c/d", "x");
	assert_match("a/b/h-*.ro/c/d", "a/b/h-x/y.ro/c/d", NULL);
	assert_match("h*h", "h", NULL);
	assert_match("h*h", "hh", NULL);
	assert_match("h*h", "hhh", "h");
}

static void test_parts(void)
{
	struct pattern *pattern = pattern_new("a/b/h-*.ro/c/d", NULL);
	g_autofree char *name = pattern_match_entry(pattern, "h-x.ro");

	g_assert_cmpstr(pattern->dir, ==, "a/b");
	g_assert_cmpstr(pattern->head, ==, "h-");
	g_assert_cmpstr(pattern->tail, ==, ".ro");
	g_assert_cmpstr(pattern->below, ==, "c/d");
	g_assert_cmpstr(name, ==, "x");
	g_assert_null(pattern_match_entry(pattern, "h-.ro"));
	pattern_free(pattern);
	pattern = pattern_new("*", NULL);
	g_assert_cmpstr(pattern->dir, ==, ".");
	g_assert_null(pattern->below);
	g_assert_null(pattern_match_entry(pattern, ".."));
	pattern_free(pattern);
}

static void test_refused(void)
{
	static const char *const texts[] = { "",     "a",    "**",   "*/*",	"/a/*", "a//*",
					     "*/",   "../*", "./*",  "a/../*",	"*/..", "/*" };

	for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
		g_autoptr(GError) error = NULL;

		g_assert_null(pattern_new(texts[i], &error));
		g_assert_error(error, FS_ERROR, EINVAL);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/pattern/match", test_match);
	g_test_add_func("/pattern/parts", test_parts);
	g_test_add_func("/pattern/refused", test_refused);
	return g_test_run();
}
