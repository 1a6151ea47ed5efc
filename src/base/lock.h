#pragma once
#include <pthread.h>

/* A pthread mutex held until the end of the enclosing scope:
 *	LOCK_SCOPE(&store->lock);
 */
static inline void lock_scope_end(pthread_mutex_t **mutex)
{
	pthread_mutex_unlock(*mutex);
}

static inline pthread_mutex_t *lock_scope_begin(pthread_mutex_t *mutex)
{
	pthread_mutex_lock(mutex);
	return mutex;
}

#define LOCK_SCOPE_NAME2(line) lock_scope_##line
#define LOCK_SCOPE_NAME(line) LOCK_SCOPE_NAME2(line)
#define LOCK_SCOPE(mutex)                                                                   \
	__attribute__((cleanup(lock_scope_end), unused)) pthread_mutex_t *LOCK_SCOPE_NAME(  \
		__LINE__) = lock_scope_begin(mutex)
