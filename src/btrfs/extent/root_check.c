#include "btrfs/extent/root_check.h"
#include "base/lock.h"
#include "base/lru.h"
#include "btrfs/extent/cursor_pool.h"

#define ROOTS_MOST 256u

struct checked {
	uint64_t id;
	uint64_t super_generation; /* the newest in which it was unmoved */
};

struct RootCheck {
	Fs *fs;
	pthread_mutex_t lock; /* protects the following */
	Lru *unmoved;	      /* struct checked, by address and generation of the root */
};

RootCheck *root_check_new(Fs *fs)
{
	RootCheck *check = g_new0(RootCheck, 1);

	check->fs = fs;
	pthread_mutex_init(&check->lock, NULL);
	check->unmoved = lru_new(ROOTS_MOST, g_free);
	return check;
}

void root_check_free(RootCheck *check)
{
	if (!check)
		return;
	lru_free(check->unmoved);
	pthread_mutex_destroy(&check->lock);
	g_free(check);
}

static bool is_known(RootCheck *check, const struct tree *tree, uint64_t super_generation)
{
	LOCK_SCOPE(&check->lock);
	const struct checked *known = lru_get(check->unmoved, tree->logical, tree->generation);

	return known && known->id == tree->id && known->super_generation >= super_generation;
}

static void remember(RootCheck *check, const struct tree *tree, uint64_t super_generation)
{
	LOCK_SCOPE(&check->lock);
	struct checked *known = lru_get(check->unmoved, tree->logical, tree->generation);

	if (!known) {
		known = g_new0(struct checked, 1);
		lru_put(check->unmoved, tree->logical, tree->generation, known, 1);
	}
	if (known->id != tree->id || known->super_generation < super_generation)
		*known = (struct checked){ .id = tree->id, .super_generation = super_generation };
}

int root_check(RootCheck *check, const struct tree *tree)
{
	/* Asked for first: the root item may then come from a later one, never
	 * from an earlier. */
	const uint64_t super_generation = fs_super(check->fs).generation;
	struct tree now;
	int r;

	if (is_known(check, tree, super_generation))
		return 0;
	r = fs_subvolume(check->fs, tree->id, NULL, &now);
	if (r)
		return r == -ENOENT ? -ESTALE : r;
	if (!tree_equal(&now, tree))
		return -ESTALE;
	remember(check, tree, super_generation);
	return 0;
}

int root_check_newest(RootCheck *check, const struct tree *tree)
{
	const int r = fs_refresh(check->fs);

	return r ? r : root_check(check, tree);
}
