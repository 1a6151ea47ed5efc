#include "send/plan/arena.h"
#include <glib.h>
#include <string.h>

static void test_take(void)
{
	struct arena arena = { 0 };
	GPtrArray *taken = g_ptr_array_new();

	for (unsigned i = 0; i < 200; i++) {
		const size_t len = i == 50 ? 5000001 : 1 + (size_t)i * 997;
		uint8_t *bytes = arena_take(&arena, len);

		g_assert_nonnull(bytes);
		memset(bytes, (int)i, len);
		g_ptr_array_add(taken, bytes);
	}
	for (unsigned i = 0; i < 200; i++)
		g_assert_cmpuint(*(uint8_t *)taken->pdata[i], ==, i);
	g_assert_cmpuint(arena.bytes, >, 24000000);
	g_assert_null(arena_take(&arena, SIZE_MAX));
	arena_clear(&arena);
	g_assert_cmpuint(arena.bytes, ==, 0);
	g_ptr_array_free(taken, TRUE);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/plan/arena/take", test_take);
	return g_test_run();
}
