#include "base/slab_pool.h"
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#define N 100u

static void test_apart(void)
{
	static const size_t lengths[] = { 1, 8, 100, 4096, 16384, 65536, 533000 };

	for (unsigned l = 0; l < G_N_ELEMENTS(lengths); l++) {
		SlabPool *pool = slab_pool_new(lengths[l]);
		uint8_t *buffers[N];

		g_assert_cmpuint(slab_pool_buffer_len(pool), >=, lengths[l]);
		for (unsigned i = 0; i < N; i++) {
			buffers[i] = slab_pool_take(pool);
			if (lengths[l] % SLAB_POOL_ALIGN == 0)
				g_assert_cmpuint((uintptr_t)buffers[i] % SLAB_POOL_ALIGN, ==, 0);
			memset(buffers[i], (int)i, lengths[l]);
		}
		for (unsigned i = 0; i < N; i++) {
			g_assert_cmpuint(buffers[i][0], ==, i);
			g_assert_cmpuint(buffers[i][lengths[l] - 1], ==, i);
			slab_pool_give(pool, buffers[i]);
		}
		slab_pool_free(pool);
	}
}

/* The last one given is the next one taken: no more than were in use at once. */
static void test_again(void)
{
	SlabPool *pool = slab_pool_new(16384);
	void *first = slab_pool_take(pool), *second = slab_pool_take(pool);

	slab_pool_give(pool, first);
	slab_pool_give(pool, second);
	g_assert_true(slab_pool_take(pool) == second);
	g_assert_true(slab_pool_take(pool) == first);
	slab_pool_give(pool, second);
	slab_pool_give(pool, first);
	slab_pool_free(pool);
}

static void *take_and_give(void *user)
{
	for (unsigned i = 0; i < 10000; i++) {
		uint64_t *a = slab_pool_take(user), *b = slab_pool_take(user);

		*a = (uintptr_t)a;
		*b = (uintptr_t)b;
		g_assert_cmpuint(*a, ==, (uintptr_t)a);
		slab_pool_give(user, a);
		slab_pool_give(user, b);
	}
	return NULL;
}

static void test_threads(void)
{
	SlabPool *pool = slab_pool_new(4096);
	pthread_t threads[4];

	for (unsigned i = 0; i < 4; i++)
		g_assert_cmpint(pthread_create(&threads[i], NULL, take_and_give, pool), ==, 0);
	for (unsigned i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	slab_pool_free(pool);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/slab_pool/apart", test_apart);
	g_test_add_func("/slab_pool/again", test_again);
	g_test_add_func("/slab_pool/threads", test_threads);
	return g_test_run();
}
