#include "base/seen.h"
#include "base/lock.h"
#include "base/lru.h"

struct Seen {
	pthread_mutex_t lock; /* protects the list */
	Lru *list;
};

Seen *seen_new(size_t most)
{
	Seen *seen = g_new0(Seen, 1);

	pthread_mutex_init(&seen->lock, NULL);
	seen->list = lru_new(most, NULL);
	return seen;
}

void seen_free(Seen *seen)
{
	if (!seen)
		return;
	lru_free(seen->list);
	pthread_mutex_destroy(&seen->lock);
	g_free(seen);
}

bool seen_add(Seen *seen, uint64_t key, uint64_t generation)
{
	LOCK_SCOPE(&seen->lock);

	return !lru_get(seen->list, key, generation) &&
	       lru_put(seen->list, key, generation, seen, 1);
}
