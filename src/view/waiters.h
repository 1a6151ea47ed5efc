#pragma once
#include <glib.h>
#include <stdbool.h>

/*
 * Threads for requests that wait for a plan, one each, so that waiting never
 * keeps others from being served.  (There are never more than processes that
 * wait.)  Any thread may call anything.
 */
typedef struct Waiters Waiters;

Waiters *waiters_new(void);
/* Ends the waits, see waiters_ending(), and returns when the last is over. */
void waiters_free(Waiters *waiters); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Waiters, waiters_free)

/* Calls @run(job) in a thread of its own.  -EAGAIN: no thread could be had. */
int waiters_start(Waiters *waiters, void (*run)(void *job), void *job);

/* From then on no wait may go on, and none begins. */
void waiters_end(Waiters *waiters);
bool waiters_ending(const Waiters *waiters);
