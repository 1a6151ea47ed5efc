#include "view/waiters.h"
#include "base/lock.h"
#include <errno.h>
#include <stdatomic.h>

struct Waiters {
	_Atomic bool ending;
	pthread_mutex_t lock; /* n_running */
	pthread_cond_t all_done;
	unsigned n_running;
};

struct wait_job {
	Waiters *waiters;
	void (*run)(void *job);
	void *job;
};

Waiters *waiters_new(void)
{
	Waiters *waiters = g_new0(Waiters, 1);

	pthread_mutex_init(&waiters->lock, NULL);
	pthread_cond_init(&waiters->all_done, NULL);
	return waiters;
}

static void wait_for_all(Waiters *waiters)
{
	LOCK_SCOPE(&waiters->lock);
	while (waiters->n_running > 0)
		pthread_cond_wait(&waiters->all_done, &waiters->lock);
}

void waiters_free(Waiters *waiters)
{
	if (!waiters)
		return;
	waiters_end(waiters);
	wait_for_all(waiters);
	pthread_cond_destroy(&waiters->all_done);
	pthread_mutex_destroy(&waiters->lock);
	g_free(waiters);
}

static void count(Waiters *waiters, int by)
{
	LOCK_SCOPE(&waiters->lock);
	waiters->n_running += (unsigned)by;
	if (waiters->n_running == 0)
		pthread_cond_broadcast(&waiters->all_done);
}

static void *thread_main(void *arg)
{
	g_autofree struct wait_job *job = arg;

	job->run(job->job);
	count(job->waiters, -1);
	return NULL;
}

int waiters_start(Waiters *waiters, void (*run)(void *job), void *job)
{
	struct wait_job *start = g_new(struct wait_job, 1);
	pthread_attr_t attributes;
	pthread_t thread;
	int r;

	*start = (struct wait_job){ waiters, run, job };
	count(waiters, 1);
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attributes, 512 * 1024);
	r = pthread_create(&thread, &attributes, thread_main, start);
	pthread_attr_destroy(&attributes);
	if (r == 0)
		return 0;
	count(waiters, -1);
	g_free(start);
	return -EAGAIN;
}

void waiters_end(Waiters *waiters)
{
	waiters->ending = true;
}

bool waiters_ending(const Waiters *waiters)
{
	return waiters->ending;
}
