#include "base/cause.h"
#include "base/seen.h"
#include <errno.h>
#include <pthread.h>
#include <string.h>

static void *other_thread(void *user)
{
	(void)user;
	g_assert_cmpstr(cause_text(), ==, "");
	cause_set("another");
	return NULL;
}

static void test_cause(void)
{
	g_autofree char *plain = NULL, *with = NULL, *without = NULL;
	pthread_t thread;

	g_assert_cmpstr(cause_text(), ==, "");
	plain = cause_explain(-EIO);
	g_assert_cmpstr(plain, ==, "a device could not be read");
	cause_set("block %d", 5);
	cause_add(", tree %d", 7);
	g_assert_cmpint(pthread_create(&thread, NULL, other_thread, NULL), ==, 0);
	pthread_join(thread, NULL);
	g_assert_cmpstr(cause_text(), ==, "block 5, tree 7");
	with = cause_explain(-EIO);
	g_assert_cmpstr(with, ==, "a device could not be read: block 5, tree 7");
	without = cause_explain(-ENOMEM);
	g_assert_cmpstr(without, ==, "out of memory");
	for (int i = 0; i < 100; i++)
		cause_add("%s", "this goes on and on, and is cut somewhere");
	g_assert_cmpuint(strlen(cause_text()), ==, 1023);
	cause_clear();
	g_assert_cmpstr(cause_text(), ==, "");
}

static void test_seen(void)
{
	Seen *seen = seen_new(3);

	for (uint64_t i = 0; i < 3; i++)
		g_assert_true(seen_add(seen, i, 1));
	g_assert_false(seen_add(seen, 0, 1));
	g_assert_true(seen_add(seen, 0, 2)); /* in place of 1 */
	g_assert_false(seen_add(seen, 0, 1));
	g_assert_true(seen_add(seen, 1, 1));
	seen_free(seen);
	seen_free(NULL);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/cause/cause", test_cause);
	g_test_add_func("/cause/seen", test_seen);
	return g_test_run();
}
