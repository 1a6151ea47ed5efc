#include "send/order/leaf_cache.h"
#include <glib.h>

/* Held against the plainest list there is: the last used first. */
static void check_against_list(uint64_t step, unsigned n_leaves, guint32 seed)
{
	g_autofree struct leaf_cache *cache = g_new(struct leaf_cache, 1);
	g_autoptr(GArray) list = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	g_autoptr(GRand) rand = g_rand_new_with_seed(seed);

	leaf_cache_init(cache);
	for (unsigned i = 0; i < 20000; i++) {
		const uint64_t leaf = step * (1 + g_rand_int(rand) % n_leaves);
		const struct leaf_roots *found = leaf_cache_get(cache, leaf);
		const uint32_t roots[2] = { (uint32_t)leaf, 7 };
		guint at = 0;

		while (at < list->len && g_array_index(list, uint64_t, at) != leaf)
			at++;
		g_assert_cmpint(found != NULL, ==, at < list->len);
		if (found) {
			g_assert_cmpuint(found->n, ==, 2);
			g_assert_cmpuint(found->roots[0], ==, (uint32_t)leaf);
			g_array_remove_index(list, at);
			g_array_prepend_val(list, leaf);
		} else if (i % 3) {
			leaf_cache_put(cache, leaf, roots, 2);
			g_array_prepend_val(list, leaf);
			g_array_set_size(list, MIN(list->len, LEAF_CACHE_LEAVES));
		}
	}
}

static void test_against_list(void)
{
	check_against_list(16384, 100, 1);
	check_against_list(16384, 130, 2);
	check_against_list(4096, 300, 3);
	check_against_list(UINT64_C(1) << 52, 4000, 4);
}

static void test_copy(void)
{
	g_autofree struct leaf_cache *cache = g_new(struct leaf_cache, 1);
	g_autofree struct leaf_cache *copy = g_new(struct leaf_cache, 1);

	leaf_cache_init(cache);
	leaf_cache_put(cache, 16384, NULL, 0);
	*copy = *cache;
	leaf_cache_put(copy, 32768, NULL, 0);
	g_assert_cmpuint(leaf_cache_get(copy, 16384)->n, ==, 0);
	g_assert_nonnull(leaf_cache_get(copy, 32768));
	g_assert_nonnull(leaf_cache_get(cache, 16384));
	g_assert_null(leaf_cache_get(cache, 32768));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/order/leaf_cache/list", test_against_list);
	g_test_add_func("/order/leaf_cache/copy", test_copy);
	return g_test_run();
}
