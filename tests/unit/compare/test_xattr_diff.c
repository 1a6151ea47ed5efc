#include "compare/xattr_diff.h"
#include "support/bytes.h"
#include "support/items.h"

struct log {
	GString *text;
	int stop_after; /* calls; 0: never */
};

static int note(void *user, struct span name, const struct span *value)
{
	struct log *log = user;

	if (value)
		g_string_append_printf(log->text, "%.*s=%.*s ", (int)name.len, name.data,
				       (int)value->len, value->data);
	else
		g_string_append_printf(log->text, "-%.*s ", (int)name.len, name.data);
	return log->stop_after > 0 && --log->stop_after == 0 ? -ENOSPC : 0;
}

/* "a=1 b=2" */
static GByteArray *item_of(const char *text)
{
	g_auto(GStrv) words = g_strsplit(text, " ", -1);
	GByteArray *item = g_byte_array_new();

	for (gchar **word = words; *word && **word; word++) {
		char *equals = strchr(*word, '=');

		*equals = '\0';
		put_xattr(item, *word, span_str(equals + 1));
	}
	return item;
}

static int run(const char *old_text, const char *new_text, struct log *log)
{
	g_autoptr(GByteArray) old_item = item_of(old_text), new_item = item_of(new_text);
	const struct tree_event event = {
		.change = TREE_CHANGED,
		.new_item = span_of_bytes(new_item),
		.old_item = span_of_bytes(old_item),
	};

	return xattr_diff(&event, note, log);
}

static void check(const char *old_text, const char *new_text, const char *expected)
{
	struct log log = { .text = g_string_new(NULL) };

	g_assert_cmpint(run(old_text, new_text, &log), ==, 0);
	g_assert_cmpstr(log.text->str, ==, expected);
	g_string_free(log.text, TRUE);
}

static void test_changes(void)
{
	check("", "a=1", "a=1 ");
	check("", "b=1 a= c=3", "b=1 a= c=3 ");
	check("a=1", "", "-a ");
	check("b=1 a=2", "", "-b -a ");
	check("a=1", "a=1", "");
	check("a=1", "a=2", "a=2 ");
	check("a=1", "a=", "a= ");
	check("a=", "a=1", "a=1 ");
	/* All that are set, then all that are removed; each in its item's order. */
	check("x=1 a=1 b=1 y=1", "b=2 c=3 a=1", "b=2 c=3 -x -y ");
	check("a=1 b=2", "b=2 a=1", "");
	check("ab=1", "a=1", "a=1 -ab ");
}

static void test_stop(void)
{
	struct log log = { .text = g_string_new(NULL), .stop_after = 2 };

	g_assert_cmpint(run("x=1 y=1", "a=1 b=1 c=1", &log), ==, -ENOSPC);
	g_assert_cmpstr(log.text->str, ==, "a=1 b=1 ");
	log.stop_after = 4;
	g_string_truncate(log.text, 0);
	g_assert_cmpint(run("x=1 y=1", "a=1 b=1 c=1", &log), ==, -ENOSPC);
	g_assert_cmpstr(log.text->str, ==, "a=1 b=1 c=1 -x ");
	g_string_free(log.text, TRUE);
}

struct damage {
	GByteArray *good;
	bool is_new;
	unsigned n_errors;
};

static void diff_damaged(struct span damaged, void *user)
{
	struct damage *damage = user;
	struct log log = { .text = g_string_new(NULL) };
	struct tree_event event = { .change = TREE_CHANGED,
				    .new_item = damaged,
				    .old_item = span_of_bytes(damage->good) };
	int r;

	if (!damage->is_new) {
		event.old_item = damaged;
		event.new_item = span_of_bytes(damage->good);
	}
	r = xattr_diff(&event, note, &log);
	g_assert_true(r == 0 || r == -EUCLEAN);
	/* Something differs, or it is the same item; in what no one looks at
	 * (location, transid) it may differ unseen. */
	if (r == 0 && damaged.len != damage->good->len)
		g_assert_cmpuint(log.text->len, >, 0);
	damage->n_errors += r != 0;
	g_string_free(log.text, TRUE);
}

static void test_damage(void)
{
	for (unsigned is_new = 0; is_new < 2; is_new++) {
		struct damage damage = { .good = item_of("user.a=one user.b=two"),
					 .is_new = is_new };

		for_each_damage(span_of_bytes(damage.good), diff_damaged, &damage);
		/* All lengths but 0, one entry, and both. */
		g_assert_cmpuint(damage.n_errors, >=, damage.good->len - 2);
		g_byte_array_unref(damage.good);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/xattr_diff/changes", test_changes);
	g_test_add_func("/xattr_diff/stop", test_stop);
	g_test_add_func("/xattr_diff/damage", test_damage);
	return g_test_run();
}
