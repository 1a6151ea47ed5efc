#include "send/plan/arena.h"
#include <glib.h>
#include <stdlib.h>
#include <sys/mman.h>

/* The first piece; each is twice as long as the one before, up to a huge page. */
#define PIECE_FIRST ((size_t)128 * 1024)
#define PIECE_MOST ((size_t)2 * 1024 * 1024)

struct arena_piece {
	struct arena_piece *next;
	size_t used, room; /* bytes, this header included */
};

static struct arena_piece *piece_new(size_t size)
{
	void *memory = aligned_alloc(size % PIECE_MOST ? 4096 : PIECE_MOST, size);

	if (memory && size % PIECE_MOST == 0)
		(void)madvise(memory, size, MADV_HUGEPAGE); /* only a hint */
	return memory;
}

static bool grow(struct arena *arena, size_t len)
{
	size_t size = arena->pieces ? MIN(arena->pieces->room * 2, PIECE_MOST) : PIECE_FIRST;
	struct arena_piece *piece;

	if (len > SIZE_MAX / 2)
		return false;
	while (size < len + sizeof(*piece))
		size *= 2;
	piece = piece_new(size);
	if (!piece)
		return false;
	*piece = (struct arena_piece){
		.next = arena->pieces,
		.used = sizeof(*piece),
		.room = size,
	};
	arena->pieces = piece;
	arena->bytes += size;
	return true;
}

uint8_t *arena_take(struct arena *arena, size_t len)
{
	struct arena_piece *piece = arena->pieces;
	uint8_t *taken;

	if (!piece || len > piece->room - piece->used) {
		if (!grow(arena, len))
			return NULL;
		piece = arena->pieces;
	}
	taken = (uint8_t *)piece + piece->used;
	piece->used += len;
	return taken;
}

void arena_clear(struct arena *arena)
{
	while (arena->pieces) {
		struct arena_piece *piece = arena->pieces;

		arena->pieces = piece->next;
		free(piece);
	}
	arena->bytes = 0;
}
