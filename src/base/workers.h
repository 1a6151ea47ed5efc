#pragma once
#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * A few threads and a bounded queue of hints: work that makes later work
 * faster and that nobody waits for.
 */
typedef struct Workers Workers;

typedef void (*worker_fn)(void *job);

/* @threads may be 0: then every job is refused.  NULL if no thread could be
 * started.  At most @most_queued jobs wait. */
Workers *workers_new(unsigned threads, size_t most_queued);
/* Jobs that have begun are finished, the others dropped by their @drop. */
void workers_free(Workers *workers); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Workers, workers_free)

/* Queues @run(job).  False, with nothing taken, when the queue is full or
 * there are no threads.  @drop(job), if not NULL, is called in place of @run
 * when the pool ends first.  Any thread, jobs too. */
bool workers_offer(Workers *workers, worker_fn run, worker_fn drop, void *job);
