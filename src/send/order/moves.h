#pragma once
#include "send/order/state.h"

/*
 * What has been put off: moves of directories that must wait for another
 * inode, and removals of directories that are not empty yet.
 * docs/send-order.md, sections 8.1 and 8.5.  Tables only; when and why is
 * decided elsewhere.
 */
typedef struct Moves Moves;

/* A directory whose move is delayed. */
struct waiting_move {
	bool orphanised;
	struct inode_id remove_after; /* ino 0: none */
};

/* A delayed move: @touched are the directories (struct inode_id) whose times
 * change with it. */
struct pending_move {
	struct inode_id dir;
	GArray *touched;
};

/* A directory that is to be removed when it is empty. */
struct removal {
	uint64_t highest; /* inode number seen in it */
	uint64_t resume;  /* DIR_INDEX offset to go on from */
};

Moves *moves_new(void);
void moves_free(Moves *moves); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Moves, moves_free)

/*
 * Delays the move of @dir until @awaited is done; takes @touched.
 *   -EEXIST  @dir waits already (@touched is freed)
 */
int moves_delay(Moves *moves, struct inode_id dir, uint64_t awaited, bool orphanised,
		GArray *touched);

bool moves_any_waiting(const Moves *moves);
/* The record of directory number @ino, or NULL.  Lives until it is dropped. */
struct waiting_move *moves_waiting(const Moves *moves, uint64_t ino);
void moves_stop_waiting(Moves *moves, uint64_t ino);

/* Appends to @queue (of struct pending_move *, freed by pending_move_free())
 * all moves that wait for @awaited, which waits for no more. */
void moves_take(Moves *moves, uint64_t awaited, GQueue *queue);
void pending_move_free(struct pending_move *move);

/* The removal record of @dir, or NULL. */
struct removal *moves_removal(const Moves *moves, struct inode_id dir);
struct removal *moves_add_removal(Moves *moves, struct inode_id dir);
void moves_drop_removal(Moves *moves, struct inode_id dir);
