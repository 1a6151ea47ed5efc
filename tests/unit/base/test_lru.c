#include "base/lru.h"
#include <string.h>

/* Values are their own names; those that left are noted in order. */
static GString *left;

static void note_left(void *value)
{
	g_string_append(left, value);
}

static Lru *begin(size_t most)
{
	if (left)
		g_string_free(left, TRUE);
	left = g_string_new(NULL);
	return lru_new(most, note_left);
}

static char *value(const char *name)
{
	return (char *)(uintptr_t)name;
}

static void append_value(uint64_t key, uint64_t generation, void *name, void *user)
{
	(void)key;
	(void)generation;
	g_string_append(user, name);
}

/* The values from the most to the least recently used. */
static void assert_order(const Lru *lru, const char *expected)
{
	g_autoptr(GString) order = g_string_new(NULL);

	lru_foreach(lru, append_value, order);
	g_assert_cmpstr(order->str, ==, expected);
	g_assert_cmpuint(lru_count(lru), ==, strlen(expected));
}

static void test_use(void)
{
	g_autoptr(Lru) lru = begin(3);

	g_assert_true(lru_put(lru, 1, 0, value("a"), 1));
	g_assert_true(lru_put(lru, 2, 0, value("b"), 1));
	g_assert_true(lru_put(lru, 3, 0, value("c"), 1));
	assert_order(lru, "cba");
	g_assert_cmpstr(lru_peek(lru, 1, 0), ==, "a");
	assert_order(lru, "cba");
	g_assert_cmpstr(lru_get(lru, 1, 0), ==, "a");
	assert_order(lru, "acb");
	g_assert_null(lru_get(lru, 4, 0));
	g_assert_null(lru_peek(lru, 4, 0));
	g_assert_true(lru_put(lru, 4, 0, value("d"), 1));
	assert_order(lru, "dac");
	g_assert_cmpstr(left->str, ==, "b");
	g_assert_cmpstr(lru_get(lru, 4, 0), ==, "d");
	assert_order(lru, "dac");
}

static void test_present(void)
{
	g_autoptr(Lru) lru = begin(2);

	lru_put(lru, 1, 0, value("a"), 1);
	lru_put(lru, 2, 0, value("b"), 1);
	g_assert_false(lru_put(lru, 1, 0, value("x"), 1));
	assert_order(lru, "ba");
	g_assert_cmpstr(left->str, ==, "");
	g_assert_cmpuint(lru_weight(lru), ==, 2);
}

static void test_generations(void)
{
	g_autoptr(Lru) lru = begin(0);

	g_assert_true(lru_put(lru, 7, 1, value("a"), 1));
	g_assert_true(lru_put(lru, 7, 2, value("b"), 1));
	g_assert_cmpstr(lru_get(lru, 7, 1), ==, "a");
	g_assert_cmpstr(lru_get(lru, 7, 2), ==, "b");
	g_assert_null(lru_get(lru, 7, 0));
	g_assert_null(lru_get(lru, 1, 7));
	g_assert_true(lru_remove(lru, 7, 1));
	g_assert_false(lru_remove(lru, 7, 1));
	assert_order(lru, "b");
}

static void test_weights(void)
{
	g_autoptr(Lru) lru = begin(10);

	lru_put(lru, 1, 0, value("a"), 4);
	lru_put(lru, 2, 0, value("b"), 4);
	lru_put(lru, 3, 0, value("c"), 2);
	g_assert_cmpuint(lru_weight(lru), ==, 10);
	g_assert_true(lru_put(lru, 4, 0, value("d"), 5));
	g_assert_cmpstr(left->str, ==, "ab");
	assert_order(lru, "dc");
	g_assert_cmpuint(lru_weight(lru), ==, 7);
	/* Heavier than all: alone in the cache, until the next one comes. */
	g_assert_true(lru_put(lru, 5, 0, value("e"), 11));
	assert_order(lru, "e");
	g_assert_cmpuint(lru_weight(lru), ==, 11);
	g_assert_true(lru_put(lru, 6, 0, value("f"), SIZE_MAX));
	assert_order(lru, "f");
	g_assert_true(lru_put(lru, 7, 0, value("g"), 0));
	assert_order(lru, "g");
	g_assert_cmpuint(lru_weight(lru), ==, 0);
}

static void test_no_limit(void)
{
	g_autoptr(Lru) lru = begin(0);

	for (uint64_t key = 0; key < 10000; key++)
		g_assert_true(lru_put(lru, key, key, value("x"), 1000));
	g_assert_cmpuint(lru_count(lru), ==, 10000);
	g_assert_cmpuint(lru_weight(lru), ==, 10000000);
	g_assert_cmpstr(left->str, ==, "");
	lru_clear(lru);
	g_assert_cmpuint(lru_count(lru), ==, 0);
	g_assert_cmpuint(lru_weight(lru), ==, 0);
	g_assert_cmpuint(left->len, ==, 10000);
}

static void test_oldest(void)
{
	g_autoptr(Lru) lru = begin(0);
	uint64_t key = 99, generation = 99;
	void *oldest = NULL;

	g_assert_false(lru_oldest(lru, &key, &generation, &oldest));
	g_assert_cmpuint(key, ==, 99);
	lru_put(lru, 1, 5, value("a"), 1);
	lru_put(lru, 2, 6, value("b"), 1);
	g_assert_true(lru_oldest(lru, &key, &generation, &oldest));
	g_assert_cmpuint(key, ==, 1);
	g_assert_cmpuint(generation, ==, 5);
	g_assert_cmpstr(oldest, ==, "a");
	lru_get(lru, 1, 5);
	g_assert_true(lru_oldest(lru, NULL, NULL, &oldest));
	g_assert_cmpstr(oldest, ==, "b");
}

static void test_steal(void)
{
	g_autoptr(Lru) lru = begin(0);

	lru_put(lru, 1, 0, value("a"), 3);
	lru_put(lru, 2, 0, value("b"), 4);
	lru_put(lru, 3, 0, value("c"), 5);
	g_assert_cmpstr(lru_steal(lru, 2, 0), ==, "b");
	g_assert_null(lru_steal(lru, 2, 0));
	g_assert_cmpstr(left->str, ==, "");
	assert_order(lru, "ca");
	g_assert_cmpuint(lru_weight(lru), ==, 8);
	g_assert_true(lru_remove(lru, 3, 0));
	g_assert_true(lru_remove(lru, 1, 0));
	g_assert_cmpstr(left->str, ==, "ca");
	assert_order(lru, "");
}

static void test_free(void)
{
	Lru *lru = begin(0);

	lru_put(lru, 1, 0, value("a"), 1);
	lru_put(lru, 2, 0, value("b"), 1);
	lru_free(lru);
	g_assert_cmpuint(left->len, ==, 2);
	lru_free(NULL);
	lru = lru_new(1, NULL);
	lru_put(lru, 1, 0, value("a"), 1);
	lru_put(lru, 2, 0, value("b"), 1);
	g_assert_cmpuint(lru_count(lru), ==, 1);
	lru_free(lru);
}

/* Against a plain list, searched from the front. */
struct model {
	uint64_t keys[16];
	size_t n;
};

static bool model_use(struct model *model, uint64_t key, bool remove)
{
	for (size_t i = 0; i < model->n; i++) {
		if (model->keys[i] != key)
			continue;
		memmove(model->keys + i, model->keys + i + 1,
			(model->n - i - 1) * sizeof(*model->keys));
		if (remove)
			model->n--;
		else
			model->keys[model->n - 1] = key;
		return true;
	}
	return false;
}

static void model_put(struct model *model, uint64_t key, size_t most)
{
	if (model->n == most)
		model_use(model, model->keys[0], true);
	model->keys[model->n++] = key;
}

static void collect(uint64_t key, uint64_t generation, void *name, void *user)
{
	struct model *model = user;

	g_assert_cmpuint(generation, ==, key / 3);
	g_assert_cmpstr(name, ==, "x");
	memmove(model->keys + 1, model->keys, model->n * sizeof(*model->keys));
	model->keys[0] = key;
	model->n++;
}

static void test_random(void)
{
	g_autoptr(Lru) lru = begin(8);
	struct model model = { 0 };

	for (unsigned i = 0; i < 20000; i++) {
		uint64_t key = (uint64_t)g_test_rand_int_range(0, 14);
		struct model seen = { 0 };

		if (i % 5 == 0) {
			g_assert_cmpint(lru_remove(lru, key, key / 3), ==,
					model_use(&model, key, true));
		} else if (i % 2) {
			g_assert_cmpint(lru_get(lru, key, key / 3) != NULL, ==,
					model_use(&model, key, false));
		} else if (lru_put(lru, key, key / 3, value("x"), 1)) {
			model_put(&model, key, 8);
		}
		lru_foreach(lru, collect, &seen);
		g_assert_cmpuint(seen.n, ==, model.n);
		g_assert_cmpint(memcmp(seen.keys, model.keys, seen.n * 8), ==, 0);
		g_assert_cmpuint(lru_weight(lru), ==, model.n);
	}
}

int main(int argc, char **argv)
{
	int r;

	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/lru/use", test_use);
	g_test_add_func("/lru/present", test_present);
	g_test_add_func("/lru/generations", test_generations);
	g_test_add_func("/lru/weights", test_weights);
	g_test_add_func("/lru/no-limit", test_no_limit);
	g_test_add_func("/lru/oldest", test_oldest);
	g_test_add_func("/lru/steal", test_steal);
	g_test_add_func("/lru/free", test_free);
	g_test_add_func("/lru/random", test_random);
	r = g_test_run();
	if (left)
		g_string_free(left, TRUE);
	return r;
}
