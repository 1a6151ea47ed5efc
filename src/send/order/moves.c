#include "send/order/moves.h"

struct Moves {
	GHashTable *waiting;  /* ino -> struct waiting_move */
	GHashTable *pending;  /* awaited ino -> GQueue of struct pending_move */
	GHashTable *removals; /* struct inode_id -> struct removal */
};

static guint inode_id_hash(gconstpointer key)
{
	const struct inode_id *id = key;

	return (guint)(id->ino * 31 + id->gen);
}

static gboolean inode_id_same(gconstpointer a, gconstpointer b)
{
	return inode_id_equal(*(const struct inode_id *)a, *(const struct inode_id *)b);
}

void pending_move_free(struct pending_move *move)
{
	g_array_unref(move->touched);
	g_free(move);
}

static void free_queue(gpointer queue)
{
	g_queue_free_full(queue, (GDestroyNotify)pending_move_free);
}

Moves *moves_new(void)
{
	Moves *moves = g_new0(Moves, 1);

	moves->waiting = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
	moves->pending = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, free_queue);
	moves->removals = g_hash_table_new_full(inode_id_hash, inode_id_same, g_free, g_free);
	return moves;
}

void moves_free(Moves *moves)
{
	if (!moves)
		return;
	g_hash_table_unref(moves->waiting);
	g_hash_table_unref(moves->pending);
	g_hash_table_unref(moves->removals);
	g_free(moves);
}

int moves_delay(Moves *moves, struct inode_id dir, uint64_t awaited, bool orphanised,
		GArray *touched)
{
	struct waiting_move *waiting;
	struct pending_move *move;
	GQueue *queue;

	if (moves_waiting(moves, dir.ino)) {
		g_array_unref(touched);
		return -EEXIST;
	}
	waiting = g_new0(struct waiting_move, 1);
	waiting->orphanised = orphanised;
	g_hash_table_insert(moves->waiting, g_memdup2(&dir.ino, sizeof(dir.ino)), waiting);

	move = g_new0(struct pending_move, 1);
	move->dir = dir;
	move->touched = touched;
	queue = g_hash_table_lookup(moves->pending, &awaited);
	if (!queue) {
		queue = g_queue_new();
		g_hash_table_insert(moves->pending, g_memdup2(&awaited, sizeof(awaited)), queue);
	}
	g_queue_push_tail(queue, move);
	return 0;
}

bool moves_any_waiting(const Moves *moves)
{
	return g_hash_table_size(moves->waiting) > 0;
}

struct waiting_move *moves_waiting(const Moves *moves, uint64_t ino)
{
	if (!moves_any_waiting(moves))
		return NULL;
	return g_hash_table_lookup(moves->waiting, &ino);
}

void moves_stop_waiting(Moves *moves, uint64_t ino)
{
	g_hash_table_remove(moves->waiting, &ino);
}

void moves_take(Moves *moves, uint64_t awaited, GQueue *queue)
{
	GQueue *found;

	if (g_hash_table_size(moves->pending) == 0)
		return;
	found = g_hash_table_lookup(moves->pending, &awaited);
	if (!found)
		return;
	while (!g_queue_is_empty(found))
		g_queue_push_tail(queue, g_queue_pop_head(found));
	g_hash_table_remove(moves->pending, &awaited);
}

struct removal *moves_removal(const Moves *moves, struct inode_id dir)
{
	if (g_hash_table_size(moves->removals) == 0)
		return NULL;
	return g_hash_table_lookup(moves->removals, &dir);
}

struct removal *moves_add_removal(Moves *moves, struct inode_id dir)
{
	struct removal *removal = g_new0(struct removal, 1);

	g_hash_table_insert(moves->removals, g_memdup2(&dir, sizeof(dir)), removal);
	return removal;
}

void moves_drop_removal(Moves *moves, struct inode_id dir)
{
	g_hash_table_remove(moves->removals, &dir);
}
