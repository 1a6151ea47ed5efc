#include "send/order/dir_times.h"
#include "base/lru.h"

#define DIR_TIMES_MOST 64u

struct DirTimes {
	Lru *dirs; /* inode number, generation -> nothing of interest */
};

DirTimes *dir_times_new(void)
{
	DirTimes *times = g_new0(DirTimes, 1);

	times->dirs = lru_new(0, NULL);
	return times;
}

void dir_times_free(DirTimes *times)
{
	if (!times)
		return;
	lru_free(times->dirs);
	g_free(times);
}

void dir_times_enter(DirTimes *times, struct inode_id dir)
{
	if (!lru_get(times->dirs, dir.ino, dir.gen))
		lru_put(times->dirs, dir.ino, dir.gen, times, 1);
}

bool dir_times_trim(DirTimes *times, struct inode_id *ret)
{
	void *value;

	if (lru_count(times->dirs) <= DIR_TIMES_MOST ||
	    !lru_oldest(times->dirs, &ret->ino, &ret->gen, &value))
		return false;
	lru_remove(times->dirs, ret->ino, ret->gen);
	return true;
}

static void take(uint64_t ino, uint64_t gen, void *value, void *user)
{
	const struct inode_id id = { ino, gen };

	(void)value;
	g_array_append_val((GArray *)user, id);
}

GArray *dir_times_take_all(DirTimes *times)
{
	GArray *all = g_array_new(FALSE, FALSE, sizeof(struct inode_id));

	lru_foreach(times->dirs, take, all);
	lru_clear(times->dirs);
	return all;
}
