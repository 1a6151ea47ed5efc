#include "base/load_cache.h"
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

struct loader {
	uint64_t key;
	int result, error;
	atomic_uint n_loads;
	bool slow;
};

static int make_blob(void *user, Blob **ret)
{
	struct loader *loader = user;
	Blob *blob;

	atomic_fetch_add(&loader->n_loads, 1);
	if (loader->slow)
		g_usleep(50000);
	if (loader->result)
		return loader->result;
	blob = blob_new(1000);
	memset(blob->bytes, (int)loader->key, blob->len);
	blob->error = loader->error;
	*ret = blob;
	return 0;
}

static void get(LoadCache *cache, struct loader *loader, uint64_t key)
{
	g_autoptr(Blob) blob = NULL;

	loader->key = key;
	g_assert_cmpint(load_cache_get(cache, key, 1, make_blob, loader, &blob), ==, 0);
	g_assert_cmpuint(blob->len, ==, 1000);
	g_assert_cmpuint(blob->bytes[999], ==, key);
}

static void test_keeps(void)
{
	g_autoptr(LoadCache) cache = load_cache_new(2500);
	struct loader loader = { 0 };
	g_autoptr(Blob) other = NULL;

	get(cache, &loader, 1);
	get(cache, &loader, 2);
	get(cache, &loader, 1);
	g_assert_cmpuint(loader.n_loads, ==, 2);
	get(cache, &loader, 3); /* 2 leaves */
	get(cache, &loader, 1);
	g_assert_cmpuint(loader.n_loads, ==, 3);
	get(cache, &loader, 2);
	g_assert_cmpuint(loader.n_loads, ==, 4);
	g_assert_cmpint(load_cache_get(cache, 2, 2, make_blob, &loader, &other), ==, 0);
	g_assert_cmpuint(loader.n_loads, ==, 5);
	g_assert_cmpuint(load_cache_stats(cache).hits, ==, 2);
	load_cache_drop(cache, 1);
	get(cache, &loader, 2);
	g_assert_cmpuint(loader.n_loads, ==, 6);
}

static void test_keeps_nothing(void)
{
	g_autoptr(LoadCache) cache = load_cache_new(0);
	struct loader loader = { 0 };

	get(cache, &loader, 1);
	get(cache, &loader, 1);
	load_cache_drop(cache, 1);
	g_assert_cmpuint(loader.n_loads, ==, 2);
	g_assert_cmpuint(load_cache_stats(cache).bytes, ==, 0);
}

static void test_errors(void)
{
	g_autoptr(LoadCache) cache = load_cache_new(10000);
	struct loader loader = { .result = -EIO };
	g_autoptr(Blob) blob = NULL;

	g_assert_cmpint(load_cache_get(cache, 1, 1, make_blob, &loader, &blob), ==, -EIO);
	g_assert_null(blob);
	loader.result = 0;
	loader.error = -EBADMSG;
	g_assert_cmpint(load_cache_get(cache, 1, 1, make_blob, &loader, &blob), ==, 0);
	g_assert_cmpint(blob->error, ==, -EBADMSG);
	loader.error = 0;
	get(cache, &loader, 1);
	get(cache, &loader, 1);
	g_assert_cmpuint(loader.n_loads, ==, 3);
}

struct asker {
	LoadCache *cache;
	struct loader *loader;
};

static void *ask(void *user)
{
	struct asker *asker = user;
	Blob *blob = NULL;

	if (load_cache_get(asker->cache, 5, 1, make_blob, asker->loader, &blob))
		return NULL;
	return blob;
}

/* All get the one blob, kept or not. */
static void check_shared(size_t most_bytes, int error)
{
	g_autoptr(LoadCache) cache = load_cache_new(most_bytes);
	struct loader loader = { .key = 5, .slow = true, .error = error };
	struct asker asker = { cache, &loader };
	pthread_t threads[6];
	void *blobs[6];

	for (unsigned i = 0; i < 6; i++)
		pthread_create(&threads[i], NULL, ask, &asker);
	for (unsigned i = 0; i < 6; i++)
		pthread_join(threads[i], &blobs[i]);
	for (unsigned i = 0; i < 6; i++) {
		g_assert_nonnull(blobs[i]);
		g_assert_cmpuint(((Blob *)blobs[i])->bytes[0], ==, 5);
		blob_unref(blobs[i]);
	}
	if (most_bytes > 0 && !error)
		g_assert_cmpuint(loader.n_loads, ==, 1);
}

static void test_threads(void)
{
	check_shared(10000, 0);
	check_shared(0, 0);
	check_shared(10000, -EIO);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/load_cache/keeps", test_keeps);
	g_test_add_func("/load_cache/keeps_nothing", test_keeps_nothing);
	g_test_add_func("/load_cache/errors", test_errors);
	g_test_add_func("/load_cache/threads", test_threads);
	return g_test_run();
}
