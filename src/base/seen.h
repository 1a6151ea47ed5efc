#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What has been told already, so that it is told once.  It forgets what has
 * not come up for the longest time when there is more than it may hold.  Any
 * thread.
 */
typedef struct Seen Seen;

Seen *seen_new(size_t most);
void seen_free(Seen *seen); /* NULL is fine */

/* Whether it is new; it is not from then on. */
bool seen_add(Seen *seen, uint64_t key, uint64_t generation);
