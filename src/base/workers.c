#include "base/workers.h"
#include "base/lock.h"
#include <signal.h>

struct job {
	worker_fn run, drop;
	void *job;
	struct job *next;
};

struct Workers {
	pthread_t *threads;
	unsigned n_threads;
	size_t most_queued;

	pthread_mutex_t lock;	/* protects what follows; nothing is called under it */
	pthread_cond_t changed; /* a job came, or the end */
	struct job *first, **end;
	size_t n_queued;
	bool ending;
};

/* The next job, or NULL when the pool ends.  Waits. */
static struct job *wait_for_job(Workers *workers)
{
	LOCK_SCOPE(&workers->lock);
	struct job *job;

	while (!workers->first && !workers->ending)
		pthread_cond_wait(&workers->changed, &workers->lock);
	if (workers->ending)
		return NULL;
	job = workers->first;
	workers->first = job->next;
	if (!workers->first)
		workers->end = &workers->first;
	workers->n_queued--;
	return job;
}

static void *worker_main(void *user)
{
	Workers *workers = user;
	struct job *job;

	while ((job = wait_for_job(workers))) {
		job->run(job->job);
		g_free(job);
	}
	return NULL;
}

/* With every signal blocked: signals are for the main thread. */
static void start_threads(Workers *workers, unsigned threads)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	for (unsigned i = 0; i < threads; i++) {
		if (pthread_create(&workers->threads[i], NULL, worker_main, workers))
			break;
		workers->n_threads++;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

Workers *workers_new(unsigned threads, size_t most_queued)
{
	Workers *workers = g_new0(Workers, 1);

	workers->threads = g_new0(pthread_t, threads);
	workers->most_queued = most_queued;
	workers->end = &workers->first;
	pthread_mutex_init(&workers->lock, NULL);
	pthread_cond_init(&workers->changed, NULL);
	start_threads(workers, threads);
	if (threads > 0 && workers->n_threads == 0) {
		workers_free(workers);
		return NULL;
	}
	return workers;
}

static void end_threads(Workers *workers)
{
	pthread_mutex_lock(&workers->lock);
	workers->ending = true;
	pthread_cond_broadcast(&workers->changed);
	pthread_mutex_unlock(&workers->lock);
	for (unsigned i = 0; i < workers->n_threads; i++)
		pthread_join(workers->threads[i], NULL);
}

void workers_free(Workers *workers)
{
	struct job *job;

	if (!workers)
		return;
	end_threads(workers);
	while ((job = workers->first)) {
		workers->first = job->next;
		if (job->drop)
			job->drop(job->job);
		g_free(job);
	}
	pthread_cond_destroy(&workers->changed);
	pthread_mutex_destroy(&workers->lock);
	g_free(workers->threads);
	g_free(workers);
}

static bool enqueue(Workers *workers, struct job *job)
{
	LOCK_SCOPE(&workers->lock);

	if (workers->ending || workers->n_queued >= workers->most_queued)
		return false;
	*workers->end = job;
	workers->end = &job->next;
	workers->n_queued++;
	pthread_cond_signal(&workers->changed);
	return true;
}

bool workers_offer(Workers *workers, worker_fn run, worker_fn drop, void *job)
{
	struct job *queued;

	if (workers->n_threads == 0)
		return false;
	queued = g_new0(struct job, 1);
	queued->run = run;
	queued->drop = drop;
	queued->job = job;
	if (enqueue(workers, queued))
		return true;
	g_free(queued);
	return false;
}
