#include "base/lock.h"
#include "btrfs/tree/node_load.h"
#include "btrfs/tree/node_verify.h"
#include <stdlib.h>

enum {
	MOST_BATCH = 256,	      /* wants that are sorted at a time */
	MOST_REQUEST = 1024 * 1024,   /* bytes in one request */
	MOST_GAP = 192 * 1024,	      /* bytes nobody wants that are cheaper read than parted by */
	JOBS_A_BATCH = 8,	      /* for scattered blocks */
};
_Static_assert(MOST_REQUEST / 4096 <= MOST_BATCH, "a request of the smallest blocks is a batch");

/* Blocks to be read by a worker, in the order of their addresses. */
struct job {
	NodeStore *store;
	size_t n;
	struct cached *entries[];
};

static void ahead_release(NodeStore *store)
{
	atomic_fetch_sub(&store->ahead, store->format.node_size);
}

static bool ahead_take(NodeStore *store)
{
	const size_t len = store->format.node_size;

	if (atomic_fetch_add(&store->ahead, len) + len <= store->most_ahead)
		return true;
	ahead_release(store);
	return false;
}

static void let_go(NodeStore *store, struct cached *entry)
{
	node_unref(&entry->node);
	ahead_release(store);
}

/* Nobody has to be told of an error: who wants the block reads it again. */
static void finish(NodeStore *store, struct cached *entry, int error)
{
	node_cache_settle(store->cache, entry, error);
	let_go(store, entry);
	if (error == 0)
		atomic_fetch_add_explicit(&store->prefetched, 1, memory_order_relaxed);
}

static void forgo(NodeStore *store, struct cached *entry)
{
	if (node_cache_claim(store->cache, entry))
		finish(store, entry, -ECANCELED);
	else
		let_go(store, entry);
}

static void read_single(NodeStore *store, struct cached *entry)
{
	finish(store, entry, node_load(store, &entry->want, entry->buffer));
}

/* From one block's beginning to the other's. */
static size_t blocks_between(const NodeStore *store, const struct cached *from,
			     const struct cached *to)
{
	return (to->node.logical - from->node.logical) / store->format.node_size;
}

/* In one request, with what lies between the blocks. */
static int read_together(NodeStore *store, struct cached **entries, size_t n)
{
	void *blocks[MOST_BATCH];
	unsigned n_blocks = 0;

	for (size_t i = 0; i < n; i++) {
		const size_t at = blocks_between(store, entries[0], entries[i]);

		while (n_blocks < at)
			blocks[n_blocks++] = NULL;
		blocks[n_blocks++] = entries[i]->buffer;
	}
	atomic_fetch_add_explicit(&store->requests, 1, memory_order_relaxed);
	return volume_read_blocks(store->volume, entries[0]->node.logical, 0, blocks, n_blocks,
				  store->format.node_size);
}

static void read_merged(NodeStore *store, struct cached **entries, size_t n)
{
	const bool read = read_together(store, entries, n) == 0;

	if (read)
		atomic_fetch_add_explicit(&store->blocks_read, n, memory_order_relaxed);
	for (size_t i = 0; i < n; i++) {
		const struct cached *entry = entries[i];

		if (read && node_verify(&store->format, &entry->want, entry->buffer) == 0)
			finish(store, entries[i], 0);
		else
			read_single(store, entries[i]);
	}
}

static void job_end(struct job *job)
{
	NodeStore *store = job->store;

	free(job);
	LOCK_SCOPE(&store->lock);
	store->n_jobs--;
	if (store->n_jobs == 0)
		pthread_cond_broadcast(&store->no_jobs);
}

/* Behind @entry, and so near that what lies between may be read, too.  Forged
 * pointers can lead to one place several times, or into a block's middle. */
static bool is_near(const NodeStore *store, const struct cached *entry, const struct cached *next)
{
	const uint64_t distance = next->node.logical - entry->node.logical;

	return distance >= store->format.node_size &&
	       distance <= store->format.node_size + MOST_GAP;
}

/* How many of @entries, from the first, are read together. */
static size_t request_len(const NodeStore *store, struct cached *const *entries, size_t n)
{
	const size_t most = MOST_REQUEST / store->format.node_size;
	size_t len = 1;

	while (len < n && blocks_between(store, entries[0], entries[len]) < most &&
	       is_near(store, entries[len - 1], entries[len]))
		len++;
	return len;
}

/* Blocks that somebody has taken over in the meantime are left out. */
static size_t claim(struct job *job)
{
	NodeStore *store = job->store;
	size_t n = 0;

	for (size_t i = 0; i < job->n; i++) {
		if (node_cache_claim(store->cache, job->entries[i]))
			job->entries[n++] = job->entries[i];
		else
			let_go(store, job->entries[i]);
	}
	return n;
}

static void job_run(void *user)
{
	struct job *job = user;
	NodeStore *store = job->store;
	const size_t n = claim(job);

	for (size_t begin = 0, len; begin < n; begin += len) {
		len = request_len(store, job->entries + begin, n - begin);
		read_merged(store, job->entries + begin, len);
	}
	job_end(job);
}

static void job_drop(void *user)
{
	struct job *job = user;

	for (size_t i = 0; i < job->n; i++)
		forgo(job->store, job->entries[i]);
	job_end(job);
}

static struct job *job_new(NodeStore *store, struct cached *const *entries, size_t n)
{
	struct job *job = malloc(sizeof(*job) + n * sizeof(struct cached *));

	if (!job)
		return NULL;
	job->store = store;
	job->n = n;
	memcpy(job->entries, entries, n * sizeof(struct cached *));
	LOCK_SCOPE(&store->lock);
	store->n_jobs++;
	return job;
}

static bool offer(NodeStore *store, struct cached *const *entries, size_t n, bool here)
{
	struct job *job = job_new(store, entries, n);

	if (!job)
		return false;
	if (here) {
		job_run(job);
		return true;
	}
	if (workers_offer(store->workers, job_run, job_drop, job)) {
		atomic_fetch_add_explicit(&store->queued, n, memory_order_relaxed);
		return true;
	}
	job_end(job);
	return false;
}

/* A block that is to be read, and its place among the wants. */
struct pick {
	struct cached *entry;
	size_t index;
};

static int pick_compare(const void *a, const void *b)
{
	const uint64_t x = ((const struct pick *)a)->entry->node.logical;
	const uint64_t y = ((const struct pick *)b)->entry->node.logical;

	return x < y ? -1 : x > y;
}

/* How many of @picks, from the first, make one job: neighbours stay together,
 * and those that have none are not each worth waking a worker. */
static size_t job_len(const NodeStore *store, const struct pick *picks, size_t n, size_t share)
{
	const size_t most = MIN(n, MOST_REQUEST / store->format.node_size);
	size_t len = 1;

	while (len < most &&
	       (len < share || is_near(store, picks[len - 1].entry, picks[len].entry)))
		len++;
	return len;
}

/* Returns the least index that could not be handed to a worker, or @all. */
static size_t offer_picks(NodeStore *store, struct pick *picks, size_t n, size_t all, bool here)
{
	struct cached *entries[MOST_BATCH];
	size_t first_refused = all;

	qsort(picks, n, sizeof(*picks), pick_compare);
	for (size_t begin = 0, len; begin < n; begin += len) {
		len = job_len(store, picks + begin, n - begin, n / JOBS_A_BATCH);
		for (size_t i = 0; i < len; i++)
			entries[i] = picks[begin + i].entry;
		if (offer(store, entries, len, here))
			continue;
		for (size_t i = 0; i < len; i++) {
			forgo(store, entries[i]);
			first_refused = MIN(first_refused, picks[begin + i].index);
		}
	}
	return first_refused;
}

static size_t prefetch_batch(NodeStore *store, const struct node_want *wants, size_t n, bool here)
{
	struct pick picks[MOST_BATCH];
	size_t n_picks = 0, done = 0;

	for (; done < n; done++) {
		struct cached *entry;
		int r;

		if (node_cache_knows(store->cache, &wants[done]))
			continue;
		if (!ahead_take(store))
			break;
		r = node_cache_reserve(store->cache, &wants[done], &entry);
		if (r == 1) {
			picks[n_picks++] = (struct pick){ .entry = entry, .index = done };
			continue;
		}
		ahead_release(store);
		if (r < 0)
			break;
	}
	return offer_picks(store, picks, n_picks, done, here);
}

static size_t read_in_batches(NodeStore *store, const struct node_want *wants, size_t n, bool here)
{
	size_t done = 0;

	while (store->most_ahead > 0 && done < n) {
		const size_t batch = MIN(n - done, (size_t)MOST_BATCH);
		const size_t taken = prefetch_batch(store, wants + done, batch, here);

		done += taken;
		if (taken < batch)
			break;
	}
	return done;
}

size_t node_store_prefetch(NodeStore *store, const struct node_want *wants, size_t n)
{
	return read_in_batches(store, wants, n, false);
}

void node_store_warm(NodeStore *store, const struct node_want *wants, size_t n)
{
	read_in_batches(store, wants, n, true);
}
