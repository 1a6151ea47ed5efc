#pragma once
#include "btrfs/tree/tree_cursor.h"

/*
 * Cursors lent to threads for a while, so that the next reader finds one that
 * stands near where it wants to go.  Any thread.
 */
typedef struct CursorPool CursorPool;

/* At most @most cursors are kept while nobody uses them. */
CursorPool *cursor_pool_new(unsigned most);
/* NULL is fine.  No cursor may be lent. */
void cursor_pool_free(CursorPool *pool);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CursorPool, cursor_pool_free)

/* A cursor in @tree, which belongs to the caller until it is given back.
 * NULL without memory. */
TreeCursor *cursor_pool_take(CursorPool *pool, const struct tree *tree);
void cursor_pool_give(CursorPool *pool, TreeCursor *cursor); /* NULL is fine */

/* Lets go of all cursors that are not lent, and of the blocks they hold. */
void cursor_pool_clear(CursorPool *pool);

static inline bool tree_equal(const struct tree *a, const struct tree *b)
{
	return a->id == b->id && a->logical == b->logical && a->generation == b->generation;
}
