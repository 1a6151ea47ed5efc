#include "base/workers.h"
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>

static atomic_uint n_run, n_dropped;

static void count_run(void *job)
{
	atomic_fetch_add((atomic_uint *)job, 1);
	atomic_fetch_add(&n_run, 1);
}

static void count_drop(void *job)
{
	(void)job;
	atomic_fetch_add(&n_dropped, 1);
}

static void begin(void)
{
	atomic_store(&n_run, 0);
	atomic_store(&n_dropped, 0);
}

static void wait_for(atomic_uint *counter, unsigned value)
{
	while (atomic_load(counter) < value)
		sched_yield();
}

static void test_every_job_once(void)
{
	enum { JOBS = 2000 };
	g_autofree atomic_uint *jobs = g_new0(atomic_uint, JOBS);
	Workers *workers = workers_new(4, JOBS);

	begin();
	for (unsigned i = 0; i < JOBS; i++)
		g_assert_true(workers_offer(workers, count_run, count_drop, &jobs[i]));
	wait_for(&n_run, JOBS);
	workers_free(workers);
	for (unsigned i = 0; i < JOBS; i++)
		g_assert_cmpuint(atomic_load(&jobs[i]), ==, 1);
	g_assert_cmpuint(atomic_load(&n_dropped), ==, 0);
}

static void test_no_threads(void)
{
	g_autoptr(Workers) workers = workers_new(0, 10);
	atomic_uint job = 0;

	g_assert_nonnull(workers);
	g_assert_false(workers_offer(workers, count_run, count_drop, &job));
	workers_free(NULL);
}

/* A job that holds its thread until it is let go. */
struct gate {
	sem_t open;
	atomic_uint entered;
};

static void pass_gate(void *user)
{
	struct gate *gate = user;

	atomic_fetch_add(&gate->entered, 1);
	sem_wait(&gate->open);
}

static void test_bound(void)
{
	struct gate gate = { .entered = 0 };
	Workers *workers = workers_new(1, 2);
	atomic_uint job = 0;

	begin();
	sem_init(&gate.open, 0, 0);
	g_assert_true(workers_offer(workers, pass_gate, NULL, &gate));
	wait_for(&gate.entered, 1);
	g_assert_true(workers_offer(workers, count_run, count_drop, &job));
	g_assert_true(workers_offer(workers, count_run, count_drop, &job));
	g_assert_false(workers_offer(workers, count_run, count_drop, &job));
	sem_post(&gate.open);
	wait_for(&n_run, 2);
	g_assert_true(workers_offer(workers, count_run, count_drop, &job));
	wait_for(&n_run, 3);
	workers_free(workers);
	sem_destroy(&gate.open);
	g_assert_cmpuint(atomic_load(&n_dropped), ==, 0);
}

struct offering {
	Workers *workers;
	atomic_uint n, counter;
};

/* Runs until the pool ends: only then does a queue with room refuse. */
static void offer_until_end(void *user)
{
	struct offering *offering = user;

	while (workers_offer(offering->workers, count_run, count_drop, &offering->counter)) {
		atomic_fetch_add(&offering->n, 1);
		g_usleep(1000);
	}
}

/* The pool ends while one job runs and others wait. */
static void test_end(void)
{
	struct offering offering = { .workers = workers_new(1, 1000000) };

	begin();
	g_assert_true(workers_offer(offering.workers, offer_until_end, NULL, &offering));
	g_assert_true(workers_offer(offering.workers, count_run, NULL, &offering.counter));
	wait_for(&offering.n, 3);
	workers_free(offering.workers);
	g_assert_cmpuint(atomic_load(&n_run), ==, 0);
	g_assert_cmpuint(atomic_load(&n_dropped), ==, atomic_load(&offering.n));
}

static void *offer_many(void *user)
{
	struct offering *offering = user;

	for (unsigned i = 0; i < 500; i++)
		if (workers_offer(offering->workers, count_run, count_drop, &offering->counter))
			atomic_fetch_add(&offering->n, 1);
	return NULL;
}

static void test_many_offering(void)
{
	struct offering offering = { .workers = workers_new(3, 16) };
	pthread_t threads[3];

	begin();
	for (unsigned i = 0; i < G_N_ELEMENTS(threads); i++)
		pthread_create(&threads[i], NULL, offer_many, &offering);
	for (unsigned i = 0; i < G_N_ELEMENTS(threads); i++)
		pthread_join(threads[i], NULL);
	workers_free(offering.workers);
	g_assert_cmpuint(atomic_load(&n_run) + atomic_load(&n_dropped), ==,
			 atomic_load(&offering.n));
	g_assert_cmpuint(atomic_load(&offering.counter), ==, atomic_load(&n_run));
}

static void note_mask(void *user)
{
	sigset_t mask;

	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	atomic_store((atomic_uint *)user, sigismember(&mask, SIGTERM) ? 2 : 1);
}

/* Signals are the main thread's, and its mask stays as it was. */
static void test_signals(void)
{
	g_autoptr(Workers) workers = workers_new(1, 1);
	atomic_uint blocked = 0, here = 0;

	g_assert_true(workers_offer(workers, note_mask, NULL, &blocked));
	wait_for(&blocked, 1);
	g_assert_cmpuint(atomic_load(&blocked), ==, 2);
	note_mask(&here);
	g_assert_cmpuint(atomic_load(&here), ==, 1);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/workers/every-job-once", test_every_job_once);
	g_test_add_func("/workers/no-threads", test_no_threads);
	g_test_add_func("/workers/bound", test_bound);
	g_test_add_func("/workers/end", test_end);
	g_test_add_func("/workers/many-offering", test_many_offering);
	g_test_add_func("/workers/signals", test_signals);
	return g_test_run();
}
