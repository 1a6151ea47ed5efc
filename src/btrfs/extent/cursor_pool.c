#include "btrfs/extent/cursor_pool.h"
#include "base/lock.h"

struct CursorPool {
	pthread_mutex_t lock; /* protects the array, not what is in it */
	GPtrArray *idle;      /* TreeCursor; the last was given back last */
	unsigned most;
};

static void free_cursor(void *cursor)
{
	tree_cursor_free(cursor);
}

CursorPool *cursor_pool_new(unsigned most)
{
	CursorPool *pool = g_new0(CursorPool, 1);

	pthread_mutex_init(&pool->lock, NULL);
	pool->idle = g_ptr_array_new();
	pool->most = most;
	return pool;
}

static GPtrArray *replace_idle(CursorPool *pool)
{
	LOCK_SCOPE(&pool->lock);
	GPtrArray *idle = pool->idle;

	pool->idle = g_ptr_array_new();
	return idle;
}

void cursor_pool_clear(CursorPool *pool)
{
	g_autoptr(GPtrArray) idle = replace_idle(pool);

	g_ptr_array_set_free_func(idle, free_cursor);
}

void cursor_pool_free(CursorPool *pool)
{
	if (!pool)
		return;
	cursor_pool_clear(pool);
	g_ptr_array_free(pool->idle, TRUE);
	pthread_mutex_destroy(&pool->lock);
	g_free(pool);
}

static TreeCursor *take_idle(CursorPool *pool, const struct tree *tree)
{
	LOCK_SCOPE(&pool->lock);

	for (unsigned i = pool->idle->len; i > 0; i--) {
		TreeCursor *cursor = g_ptr_array_index(pool->idle, i - 1);
		const struct tree of = tree_cursor_tree(cursor);

		if (tree_equal(&of, tree)) {
			g_ptr_array_remove_index(pool->idle, i - 1);
			return cursor;
		}
	}
	return NULL;
}

TreeCursor *cursor_pool_take(CursorPool *pool, const struct tree *tree)
{
	TreeCursor *cursor = take_idle(pool, tree);

	return cursor ? cursor : tree_cursor_new(tree, TREE_READAHEAD_NONE);
}

/* What has to leave in place of @cursor; NULL if there is room. */
static TreeCursor *exchange(CursorPool *pool, TreeCursor *cursor)
{
	LOCK_SCOPE(&pool->lock);
	TreeCursor *oldest = NULL;

	if (pool->most == 0)
		return cursor;
	if (pool->idle->len >= pool->most)
		oldest = g_ptr_array_remove_index(pool->idle, 0);
	g_ptr_array_add(pool->idle, cursor);
	return oldest;
}

void cursor_pool_give(CursorPool *pool, TreeCursor *cursor)
{
	if (cursor)
		tree_cursor_free(exchange(pool, cursor));
}
