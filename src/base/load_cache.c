#include "base/load_cache.h"
#include "base/lock.h"
#include "base/lru.h"

/* One blob being made, on the stack of who makes it. */
struct load {
	uint64_t key, generation;
	unsigned waiting;
	bool done;
	int result;
	Blob *blob;
	pthread_cond_t changed; /* done, or the last waiter has left */
	struct load *next;
};

struct LoadCache {
	pthread_mutex_t lock; /* protects all below, and every struct load */
	Lru *kept;	      /* NULL: nothing is kept */
	struct load *loading; /* few: one for each thread that makes a blob */
	struct load_cache_stats stats;
};

static Blob *blob_begin(Blob *blob, SlabPool *pool, size_t len)
{
	atomic_init(&blob->refs, 1);
	blob->pool = pool;
	blob->error = 0;
	blob->len = len;
	blob->room = pool ? slab_pool_buffer_len(pool) - sizeof(*blob) : len;
	return blob;
}

Blob *blob_new(size_t len)
{
	Blob *blob;
	size_t size;

	if (__builtin_add_overflow(len, sizeof(*blob), &size))
		return NULL;
	blob = g_try_malloc(size);
	return blob ? blob_begin(blob, NULL, len) : NULL;
}

Blob *blob_new_in(SlabPool *pool, size_t len)
{
	const size_t most = slab_pool_buffer_len(pool) - sizeof(Blob);
	Blob *blob;

	if (len > most || len < most / 2)
		return blob_new(len);
	blob = slab_pool_take(pool);
	return blob ? blob_begin(blob, pool, len) : NULL;
}

Blob *blob_ref(Blob *blob)
{
	atomic_fetch_add_explicit(&blob->refs, 1, memory_order_relaxed);
	return blob;
}

void blob_unref(Blob *blob)
{
	if (!blob || atomic_fetch_sub_explicit(&blob->refs, 1, memory_order_acq_rel) != 1)
		return;
	if (blob->pool)
		slab_pool_give(blob->pool, blob);
	else
		g_free(blob);
}

static void free_blob(void *blob)
{
	blob_unref(blob);
}

LoadCache *load_cache_new(size_t most_bytes)
{
	LoadCache *cache = g_new0(LoadCache, 1);

	pthread_mutex_init(&cache->lock, NULL);
	if (most_bytes > 0)
		cache->kept = lru_new(most_bytes, free_blob);
	return cache;
}

void load_cache_free(LoadCache *cache)
{
	if (!cache)
		return;
	lru_free(cache->kept);
	pthread_mutex_destroy(&cache->lock);
	g_free(cache);
}

static struct load *find_load(LoadCache *cache, uint64_t key, uint64_t generation)
{
	struct load *load = cache->loading;

	while (load && (load->key != key || load->generation != generation))
		load = load->next;
	return load;
}

/* Under the lock, which the wait lets go. */
static int wait_for_load(LoadCache *cache, struct load *load, Blob **ret)
{
	int result;

	cache->stats.shared++;
	load->waiting++;
	while (!load->done)
		pthread_cond_wait(&load->changed, &cache->lock);
	result = load->result;
	if (result == 0)
		*ret = blob_ref(load->blob);
	if (--load->waiting == 0)
		pthread_cond_broadcast(&load->changed);
	return result;
}

/* True: *ret_result is the answer.  False: @mine has been entered, make it. */
static bool find_or_begin(LoadCache *cache, struct load *mine, int *ret_result, Blob **ret)
{
	LOCK_SCOPE(&cache->lock);
	Blob *blob = cache->kept ? lru_get(cache->kept, mine->key, mine->generation) : NULL;
	struct load *other;

	if (blob) {
		cache->stats.hits++;
		*ret = blob_ref(blob);
		*ret_result = 0;
		return true;
	}
	other = find_load(cache, mine->key, mine->generation);
	if (other) {
		*ret_result = wait_for_load(cache, other, ret);
		return true;
	}
	cache->stats.loads++;
	mine->next = cache->loading;
	cache->loading = mine;
	return false;
}

static void keep_blob(LoadCache *cache, const struct load *load)
{
	const Blob *blob = load->blob;
	Blob *kept;

	if (!cache->kept || blob->error)
		return;
	kept = blob_ref(load->blob);
	if (!lru_put(cache->kept, load->key, load->generation, kept, sizeof(*blob) + blob->room))
		blob_unref(kept);
}

static void finish_load(LoadCache *cache, struct load *mine)
{
	LOCK_SCOPE(&cache->lock);
	struct load **link = &cache->loading;

	while (*link != mine)
		link = &(*link)->next;
	*link = mine->next;
	if (mine->result == 0)
		keep_blob(cache, mine);
	mine->done = true;
	pthread_cond_broadcast(&mine->changed);
	while (mine->waiting > 0)
		pthread_cond_wait(&mine->changed, &cache->lock);
}

int load_cache_get(LoadCache *cache, uint64_t key, uint64_t generation, load_fn load, void *user,
		   Blob **ret)
{
	struct load mine = { .key = key, .generation = generation };
	int result = 0;

	pthread_cond_init(&mine.changed, NULL);
	if (!find_or_begin(cache, &mine, &result, ret)) {
		mine.result = load(user, &mine.blob);
		finish_load(cache, &mine);
		result = mine.result;
		if (result == 0)
			*ret = mine.blob;
	}
	pthread_cond_destroy(&mine.changed);
	return result;
}

struct drop {
	uint64_t generation;
	GArray *keys; /* uint64_t */
};

static void note_key(uint64_t key, uint64_t generation, void *value, void *user)
{
	struct drop *drop = user;

	(void)value;
	if (generation == drop->generation)
		g_array_append_val(drop->keys, key);
}

void load_cache_drop(LoadCache *cache, uint64_t generation)
{
	g_autoptr(GArray) keys = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	struct drop drop = { .generation = generation, .keys = keys };
	LOCK_SCOPE(&cache->lock);

	if (!cache->kept)
		return;
	lru_foreach(cache->kept, note_key, &drop);
	for (unsigned i = 0; i < keys->len; i++)
		lru_remove(cache->kept, g_array_index(keys, uint64_t, i), generation);
}

struct load_cache_stats load_cache_stats(LoadCache *cache)
{
	LOCK_SCOPE(&cache->lock);
	struct load_cache_stats stats = cache->stats;

	stats.bytes = cache->kept ? lru_weight(cache->kept) : 0;
	return stats;
}
