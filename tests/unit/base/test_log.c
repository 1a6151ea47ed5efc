#include "base/log.h"
#include <pthread.h>

static void run_in_child(const char *stderr_pattern)
{
	g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
	g_test_trap_assert_passed();
	g_test_trap_assert_stderr(stderr_pattern);
}

static void test_levels(void)
{
	g_autoptr(Log) log = NULL;

	if (!g_test_subprocess()) {
		run_in_child("sendfs: e 1\nsendfs: w 2\n");
		return;
	}
	log = log_new(LOG_LEVEL_WARNING);
	log_line(log, LOG_LEVEL_ERROR, "e %d", 1);
	log_line(log, LOG_LEVEL_WARNING, "w %d", 2);
	log_line(log, LOG_LEVEL_INFO, "i %d", 3);
	log_line(log, LOG_LEVEL_DEBUG, "d %d", 4);
	log_line(NULL, LOG_LEVEL_ERROR, "nowhere");
}

static void test_escapes(void)
{
	g_autoptr(Log) log = NULL;

	if (!g_test_subprocess()) {
		/* Controls, no UTF-8; text; CSI, a change of direction, cut short. */
		run_in_child("sendfs: a\\x0ab\\x1b\\x7f\\xff.\n"
			     "sendfs: gr\xc3\xb6\xc3\x9f" "e \xe6\x96\x87\n"
			     "sendfs: \\xc2\\x9b\\xe2\\x80\\xae\\xe6\\x96\n");
		return;
	}
	log = log_new(LOG_LEVEL_DEBUG);
	log_line(log, LOG_LEVEL_INFO, "%s", "a\nb\x1b\x7f\xff.");
	log_line(log, LOG_LEVEL_INFO, "gr\xc3\xb6\xc3\x9f" "e \xe6\x96\x87");
	log_line(log, LOG_LEVEL_INFO, "%s", "\xc2\x9b\xe2\x80\xae\xe6\x96");
}

static void test_syslog(void)
{
	g_autoptr(Log) log = NULL;

	if (!g_test_subprocess()) {
		run_in_child("");
		return;
	}
	log = log_new(LOG_LEVEL_DEBUG);
	log_to_syslog(log);
	/* Nobody may be listening; what counts is that stderr stays silent. */
	log_line(log, LOG_LEVEL_DEBUG, "test of the log");
}

static void *write_lines(void *log)
{
	for (unsigned i = 0; i < 100; i++)
		log_line(log, LOG_LEVEL_ERROR, "%s", "0123456789");
	return NULL;
}

static void test_threads(void)
{
	g_autoptr(Log) log = NULL;
	g_autoptr(GString) expected = g_string_new(NULL);
	pthread_t threads[4];

	if (!g_test_subprocess()) {
		for (unsigned i = 0; i < 400; i++)
			g_string_append(expected, "sendfs: 0123456789\n");
		run_in_child(expected->str);
		return;
	}
	log = log_new(LOG_LEVEL_ERROR);
	for (unsigned i = 0; i < G_N_ELEMENTS(threads); i++)
		g_assert_cmpint(pthread_create(&threads[i], NULL, write_lines, log), ==, 0);
	for (unsigned i = 0; i < G_N_ELEMENTS(threads); i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/log/levels", test_levels);
	g_test_add_func("/log/escapes", test_escapes);
	g_test_add_func("/log/syslog", test_syslog);
	g_test_add_func("/log/threads", test_threads);
	log_free(NULL);
	return g_test_run();
}
