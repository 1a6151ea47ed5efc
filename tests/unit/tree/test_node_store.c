#include "disks.h"
#include "support/bytes.h"
#include <pthread.h>
#include <unistd.h>

#define NODE_SIZE 4096u
#define N_LEAVES 3000u
#define APART 50u /* leaves that lie so far apart are read by requests of their own */
#define EVERYTHING (SIZE_MAX / 2)

struct fixture {
	Disks *disks;
	Workers *workers;
	NodeStore *store;
	struct node_want wants[N_LEAVES];
};

/* Leaves side by side on the disks, one item each, of generation 7. */
static void make_leaves(struct fixture *f)
{
	for (unsigned i = 0; i < N_LEAVES; i++) {
		const struct block_head head = {
			.logical = image_alloc(f->disks->image, NODE_SIZE),
			.generation = 7,
			.owner = 1000 + i,
		};
		const struct block_item item = { .key = KEY(256 + i, 1, 0),
						 .data = span_of("leaf", 4) };
		g_autofree uint8_t *block = build_leaf(&f->disks->format, &head, &item, 1);

		image_write(f->disks->image, head.logical, block, NODE_SIZE);
		f->wants[i] = (struct node_want){ .logical = head.logical,
						  .generation = 7,
						  .has_first_key = true,
						  .first_key = item.key };
	}
	disks_attach(f->disks);
}

static void set_up(struct fixture *f, size_t cache_blocks, size_t ahead_blocks, unsigned threads)
{
	const size_t block = NODE_SIZE + 512; /* more than an entry takes */

	f->disks = disks_new((size_t)16 << 20, NODE_SIZE);
	make_leaves(f);
	f->workers = workers_new(threads, 20);
	f->store = disks_store(f->disks, cache_blocks * block, ahead_blocks * NODE_SIZE,
			       f->workers);
}

static void tear_down(struct fixture *f)
{
	node_store_free(f->store);
	workers_free(f->workers);
	disks_free(f->disks);
}

static void assert_get(struct fixture *f, unsigned i)
{
	g_autoptr(Node) node = NULL;

	g_assert_cmpint(node_store_get(f->store, &f->wants[i], &node), ==, 0);
	g_assert_cmpuint(node->logical, ==, f->wants[i].logical);
	g_assert_cmpuint(node->owner, ==, 1000 + i);
	g_assert_cmpuint(node->n_items, ==, 1);
	g_assert_true(span_equal(node_item(node, 0), span_of("leaf", 4)));
}

static int get_error(struct fixture *f, const struct node_want *want)
{
	Node *node = NULL;
	const int r = node_store_get(f->store, want, &node);

	g_assert_null(node);
	return r;
}

static uint8_t *block_on(struct fixture *f, unsigned disk, unsigned i)
{
	return f->disks->disk[disk].data + f->wants[i].logical;
}

static void test_hit(void)
{
	struct fixture f;
	struct node_want other;
	struct node_store_stats stats;

	set_up(&f, N_LEAVES, 0, 0);
	for (unsigned i = 0; i < 50; i++)
		assert_get(&f, 3);
	g_assert_cmpuint(disks_reads(f.disks), ==, 1);
	stats = node_store_stats(f.store);
	g_assert_cmpuint(stats.hits, ==, 49);
	g_assert_cmpuint(stats.misses, ==, 1);
	g_assert_cmpuint(stats.blocks_read, ==, 1);
	/* What is in memory must be what is wanted, too. */
	other = f.wants[3];
	other.level = 1;
	g_assert_cmpint(get_error(&f, &other), ==, -EUCLEAN);
	other = f.wants[3];
	other.first_key.offset = 5;
	g_assert_cmpint(get_error(&f, &other), ==, -EUCLEAN);
	other = f.wants[3];
	other.generation = 8;
	g_assert_cmpint(get_error(&f, &other), ==, -ESTALE);
	assert_get(&f, 3);
	tear_down(&f);
}

static void test_second_copy(void)
{
	struct fixture f;

	set_up(&f, N_LEAVES, 0, 0);
	block_on(&f, 0, 5)[200] ^= 1;
	assert_get(&f, 5);
	g_assert_cmpuint(disks_reads_of(f.disks, f.wants[5].logical), ==, 2);
	block_on(&f, 1, 6)[200] ^= 1;
	assert_get(&f, 6);
	g_assert_cmpuint(disks_reads_of(f.disks, f.wants[6].logical), ==, 1);
	tear_down(&f);
}

static void test_errors(void)
{
	struct fixture f;
	struct node_want beyond = { .logical = (uint64_t)1 << 40, .generation = 7 };

	set_up(&f, N_LEAVES, 0, 0);
	g_assert_cmpint(get_error(&f, &beyond), ==, -EUCLEAN);
	block_on(&f, 0, 1)[200] ^= 1;
	block_on(&f, 1, 1)[200] ^= 1;
	g_assert_cmpint(get_error(&f, &f.wants[1]), ==, -EBADMSG);
	/* One copy stale, the other torn: in either order stale tells more. */
	block_on(&f, 0, 2)[200] ^= 1;
	store_le64(block_on(&f, 1, 2) + 80, 6);
	block_seal(&f.disks->format, block_on(&f, 1, 2));
	g_assert_cmpint(get_error(&f, &f.wants[2]), ==, -ESTALE);
	block_on(&f, 1, 3)[200] ^= 1;
	block_on(&f, 0, 3)[33] ^= 1;
	block_seal(&f.disks->format, block_on(&f, 0, 3));
	g_assert_cmpint(get_error(&f, &f.wants[3]), ==, -EUCLEAN);
	/* An error is not remembered. */
	memcpy(block_on(&f, 0, 1), f.disks->image->data + f.wants[1].logical, NODE_SIZE);
	assert_get(&f, 1);
	/* The device fails at the n-th read. */
	for (int nth = 0; nth < 3; nth++) {
		atomic_store(&f.disks->reads_until_failure, nth);
		for (unsigned i = 10; i < 13; i++)
			assert_get(&f, i + 10 * (unsigned)nth);
	}
	/* No copy can be read. */
	atomic_store(&f.disks->reads_until_failure, 0);
	block_on(&f, 1, 60)[0] ^= 1;
	g_assert_cmpint(get_error(&f, &f.wants[60]), ==, -EBADMSG);
	tear_down(&f);
}

/* How many of the blocks are in memory, found without changing what is used. */
static unsigned read_again(struct fixture *f, unsigned from, unsigned to)
{
	unsigned read = 0;

	for (unsigned i = from; i < to; i++) {
		disks_forget_reads(f->disks);
		assert_get(f, i);
		read += disks_reads(f->disks);
	}
	return read;
}

static void test_budget(void)
{
	struct fixture f;
	Node *held[20];

	set_up(&f, 10, 0, 0);
	for (unsigned i = 0; i < 100; i++)
		assert_get(&f, i);
	g_assert_cmpuint(node_store_stats(f.store).evictions, >=, 88);
	g_assert_cmpuint(read_again(&f, 95, 100), ==, 0);
	/* What is held stays whatever the limit. */
	for (unsigned i = 0; i < 20; i++)
		g_assert_cmpint(node_store_get(f.store, &f.wants[i], &held[i]), ==, 0);
	for (unsigned i = 100; i < 150; i++)
		assert_get(&f, i);
	g_assert_cmpuint(read_again(&f, 0, 20), ==, 0);
	for (unsigned i = 0; i < 20; i++)
		node_unref(held[i]);
	tear_down(&f);
}

/* A walk over everything does not displace what is used again and again. */
static void test_scan(void)
{
	struct fixture f;

	set_up(&f, 40, 0, 0);
	for (unsigned round = 0; round < 3; round++)
		for (unsigned i = 0; i < 20; i++)
			assert_get(&f, i);
	for (unsigned i = 20; i < N_LEAVES; i++)
		assert_get(&f, i);
	g_assert_cmpuint(read_again(&f, 0, 20), ==, 0);
	tear_down(&f);
}

struct thread {
	struct fixture *f;
	pthread_t id;
	unsigned number;
};

static void *get_all(void *user)
{
	struct thread *thread = user;

	for (unsigned i = 0; i < N_LEAVES; i++)
		assert_get(thread->f, (i + (thread->number % 2) * 7) % N_LEAVES);
	return NULL;
}

static void *get_randomly(void *user)
{
	struct thread *thread = user;
	g_autoptr(GRand) rand = g_rand_new_with_seed(thread->number);

	for (unsigned i = 0; i < 2000; i++) {
		const unsigned at = (unsigned)g_rand_int_range(rand, 0, N_LEAVES - 20);

		if (i % 10 == 0)
			node_store_prefetch(thread->f->store, &thread->f->wants[at], 20);
		assert_get(thread->f, at + i % 20);
	}
	return NULL;
}

static void run_threads(struct fixture *f, void *(*body)(void *))
{
	struct thread threads[8];

	for (unsigned i = 0; i < G_N_ELEMENTS(threads); i++) {
		threads[i] = (struct thread){ .f = f, .number = i };
		g_assert_cmpint(pthread_create(&threads[i].id, NULL, body, &threads[i]), ==, 0);
	}
	for (unsigned i = 0; i < G_N_ELEMENTS(threads); i++)
		pthread_join(threads[i].id, NULL);
}

/* Eight threads want the same blocks at the same time: each is read once. */
static void test_read_once(void)
{
	struct fixture f;

	set_up(&f, N_LEAVES, 0, 0);
	atomic_store(&f.disks->delay_us, 100);
	run_threads(&f, get_all);
	g_assert_cmpuint(disks_most_reads(f.disks), ==, 1);
	g_assert_cmpuint(disks_reads(f.disks), ==, N_LEAVES);
	tear_down(&f);
}

static void test_crowd(void)
{
	struct fixture f;

	set_up(&f, 30, 40, 3);
	run_threads(&f, get_randomly);
	tear_down(&f);
}

static void test_many_shards(void)
{
	struct fixture f;

	set_up(&f, 5000, 0, 0);
	run_threads(&f, get_randomly);
	g_assert_cmpuint(disks_most_reads(f.disks), ==, 1);
	tear_down(&f);
}

static void *get_bad(void *user)
{
	struct thread *thread = user;

	for (unsigned i = 0; i < 50; i++)
		g_assert_cmpint(get_error(thread->f, &thread->f->wants[i]), ==, -EBADMSG);
	return NULL;
}

static void test_crowd_at_bad_blocks(void)
{
	struct fixture f;

	set_up(&f, N_LEAVES, 0, 0);
	for (unsigned i = 0; i < 50; i++) {
		block_on(&f, 0, i)[NODE_SIZE - 1] ^= 1;
		block_on(&f, 1, i)[NODE_SIZE - 1] ^= 1;
	}
	run_threads(&f, get_bad);
	tear_down(&f);
}

static void wait_for_prefetched(struct fixture *f, unsigned n)
{
	for (unsigned i = 0; i < 5000 && node_store_stats(f->store).prefetched < n; i++)
		usleep(1000);
	g_assert_cmpuint(node_store_stats(f->store).prefetched, ==, n);
}

static void test_prefetch_merges(void)
{
	struct fixture f;
	struct node_want scattered[20];

	set_up(&f, N_LEAVES, N_LEAVES, 1);
	/* Two stretches, in no order. */
	for (unsigned i = 0; i < 20; i++)
		scattered[i] = f.wants[(i * 7) % 20 + (i % 2 ? 100 : 0)];
	g_assert_cmpuint(node_store_prefetch(f.store, scattered, 20), ==, 20);
	wait_for_prefetched(&f, 20);
	g_assert_cmpuint(disks_reads(f.disks), ==, 20);
	g_assert_cmpuint(node_store_prefetch(f.store, f.wants, 20), ==, 20);
	wait_for_prefetched(&f, 30);
	g_assert_cmpuint(node_store_prefetch(f.store, f.wants + 30, 40), ==, 40);
	wait_for_prefetched(&f, 70);
	for (unsigned i = 30; i < 70; i++)
		assert_get(&f, i);
	g_assert_cmpuint(disks_most_reads(f.disks), ==, 1);
	tear_down(&f);
}

/* A forged node may point to one place again and again, each time as of another
 * generation: blocks that do not follow one another share no request. */
static void test_prefetch_same_place(void)
{
	static const unsigned steps[] = { 0, 48, 96, 144, 192, 240, 255 };
	struct node_want wants[G_N_ELEMENTS(steps) + 100];
	struct fixture f;

	set_up(&f, N_LEAVES, N_LEAVES, 1);
	for (unsigned i = 0; i < G_N_ELEMENTS(wants); i++) {
		wants[i] = f.wants[steps[MIN(i, G_N_ELEMENTS(steps) - 1)]];
		if (i >= G_N_ELEMENTS(steps))
			wants[i].generation += i;
	}
	g_assert_cmpuint(node_store_prefetch(f.store, wants, G_N_ELEMENTS(wants)), ==,
			 G_N_ELEMENTS(wants));
	wait_for_prefetched(&f, G_N_ELEMENTS(steps));
	for (unsigned i = 0; i < G_N_ELEMENTS(steps); i++)
		assert_get(&f, steps[i]);
	g_assert_cmpint(get_error(&f, &wants[G_N_ELEMENTS(steps)]), ==, -ESTALE);
	tear_down(&f);
}

static void test_prefetch_one_request(void)
{
	struct fixture f;
	struct node_store_stats stats;

	set_up(&f, N_LEAVES, N_LEAVES, 1);
	g_assert_cmpuint(node_store_prefetch(f.store, f.wants, N_LEAVES), ==, N_LEAVES);
	wait_for_prefetched(&f, N_LEAVES);
	stats = node_store_stats(f.store);
	g_assert_cmpuint(stats.blocks_read, ==, N_LEAVES);
	/* A mebibyte at a time. */
	g_assert_cmpuint(stats.requests, ==, (N_LEAVES * NODE_SIZE + 1048575) / 1048576);
	tear_down(&f);
}

static void test_prefetch_bound(void)
{
	struct fixture f;

	set_up(&f, N_LEAVES, 10, 1);
	disks_hold(f.disks);
	g_assert_cmpuint(node_store_prefetch(f.store, f.wants, 50), ==, 10);
	g_assert_cmpuint(node_store_prefetch(f.store, f.wants + 10, 50), ==, 0);
	g_assert_cmpuint(node_store_prefetch(f.store, f.wants, 10), ==, 10);
	disks_release(f.disks);
	wait_for_prefetched(&f, 10);
	atomic_store(&f.disks->delay_us, 50000);
	g_assert_cmpuint(node_store_prefetch(f.store, f.wants, 50), ==, 20);
	tear_down(&f); /* with reads under way */
}

/* One job is being read, 20 wait: no more are taken, whatever comes. */
static void test_prefetch_queue_full(void)
{
	const unsigned lot = 15; /* so few scattered blocks are a job each */
	struct fixture f;
	struct node_want apart[60];
	size_t taken = 1;

	set_up(&f, N_LEAVES, N_LEAVES, 1);
	for (unsigned i = 0; i < 60; i++)
		apart[i] = f.wants[APART * i];
	disks_hold(f.disks);
	g_assert_cmpuint(node_store_prefetch(f.store, apart, 1), ==, 1);
	disks_wait_held(f.disks, 1);
	taken += node_store_prefetch(f.store, apart + taken, lot);
	g_assert_cmpuint(taken, ==, 1 + lot);
	taken += node_store_prefetch(f.store, apart + taken, lot);
	g_assert_cmpuint(taken, ==, 1 + 20);
	g_assert_cmpuint(node_store_prefetch(f.store, apart + taken, lot), ==, 0);
	disks_release(f.disks);
	for (unsigned i = 0; i < 60; i++)
		assert_get(&f, APART * i);
	g_assert_cmpuint(disks_most_reads(f.disks), ==, 1);
	tear_down(&f);
}

/* Bad blocks read ahead leave no trace; good ones beside them arrive. */
static void test_prefetch_bad(void)
{
	struct fixture f;

	set_up(&f, N_LEAVES, N_LEAVES, 1);
	for (unsigned disk = 0; disk < 2; disk++)
		block_on(&f, disk, 3)[100] ^= 1;
	block_on(&f, 0, 5)[100] ^= 1;
	g_assert_cmpuint(node_store_prefetch(f.store, f.wants, 10), ==, 10);
	wait_for_prefetched(&f, 9);
	g_assert_cmpint(get_error(&f, &f.wants[3]), ==, -EBADMSG);
	disks_forget_reads(f.disks);
	assert_get(&f, 5);
	assert_get(&f, 9);
	g_assert_cmpuint(disks_reads(f.disks), ==, 0);
	tear_down(&f);
}

/* The pool goes away first, with work still queued. */
static void test_prefetch_dropped(void)
{
	struct fixture f;
	struct node_want apart[20];

	set_up(&f, N_LEAVES, N_LEAVES, 1);
	atomic_store(&f.disks->delay_us, 20000);
	for (unsigned i = 0; i < 20; i++)
		apart[i] = f.wants[3 * i];
	node_store_prefetch(f.store, apart, 20);
	workers_free(g_steal_pointer(&f.workers));
	atomic_store(&f.disks->delay_us, 0);
	for (unsigned i = 0; i < 20; i++)
		assert_get(&f, 3 * i);
	tear_down(&f);
}

static void test_prefetch_without_workers(void)
{
	struct fixture f;
	g_autoptr(NodeStore) alone = NULL;

	set_up(&f, N_LEAVES, 0, 1);
	alone = disks_store(f.disks, EVERYTHING, EVERYTHING, NULL);
	g_assert_cmpuint(node_store_prefetch(alone, f.wants, 10), ==, 0);
	g_assert_cmpuint(node_store_readahead_window(alone, EVERYTHING), ==, 0);
	g_assert_cmpuint(node_store_prefetch(f.store, f.wants, 10), ==, 0);
	g_assert_cmpuint(disks_reads(f.disks), ==, 0);
	tear_down(&f);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/node_store/hit", test_hit);
	g_test_add_func("/node_store/second_copy", test_second_copy);
	g_test_add_func("/node_store/errors", test_errors);
	g_test_add_func("/node_store/budget", test_budget);
	g_test_add_func("/node_store/scan", test_scan);
	g_test_add_func("/node_store/read_once", test_read_once);
	g_test_add_func("/node_store/crowd", test_crowd);
	g_test_add_func("/node_store/many_shards", test_many_shards);
	g_test_add_func("/node_store/crowd_at_bad_blocks", test_crowd_at_bad_blocks);
	g_test_add_func("/node_store/prefetch/merges", test_prefetch_merges);
	g_test_add_func("/node_store/prefetch/same_place", test_prefetch_same_place);
	g_test_add_func("/node_store/prefetch/one_request", test_prefetch_one_request);
	g_test_add_func("/node_store/prefetch/bound", test_prefetch_bound);
	g_test_add_func("/node_store/prefetch/queue_full", test_prefetch_queue_full);
	g_test_add_func("/node_store/prefetch/bad", test_prefetch_bad);
	g_test_add_func("/node_store/prefetch/dropped", test_prefetch_dropped);
	g_test_add_func("/node_store/prefetch/without_workers", test_prefetch_without_workers);
	return g_test_run();
}
