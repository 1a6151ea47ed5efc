#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Memory that grows by pieces and is freed as a whole.  Full-sized pieces are
 * huge pages where the system has them: first touching small ones one by one
 * can take longer than making what is put there.
 */
struct arena_piece;

struct arena {
	struct arena_piece *pieces; /* the one being filled first */
	size_t bytes;		    /* of all pieces */
};

/* @len bytes, unset, or NULL without memory. */
uint8_t *arena_take(struct arena *arena, size_t len);
void arena_clear(struct arena *arena);
