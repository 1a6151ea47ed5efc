#include "send/order/state.h"

/* 1 if the side has the inode with links, 0 if not. */
static int is_present(InodeReader *side, uint64_t ino, uint64_t *ret_gen)
{
	const struct inode_item *item;
	int r;

	*ret_gen = 0;
	if (!side)
		return 0;
	r = inode_reader_item(side, ino, &item);
	if (r == -ENOENT)
		return 0;
	if (r)
		return r;
	*ret_gen = item->generation;
	return item->nlink != 0;
}

int inode_state(const struct standing *standing, struct inode_id id, enum inode_state *ret,
		struct generations *ret_gens)
{
	const bool behind = id.ino < standing->frontier;
	struct generations gens;
	int in_new, in_old;

	in_new = is_present(standing->new, id.ino, &gens.new);
	if (in_new < 0)
		return in_new;
	in_old = is_present(standing->old, id.ino, &gens.old);
	if (in_old < 0)
		return in_old;
	if (ret_gens)
		*ret_gens = gens;
	in_new = in_new && gens.new == id.gen;
	in_old = in_old && gens.old == id.gen;
	if (in_new && in_old)
		*ret = STATE_UNCHANGED;
	else if (in_new)
		*ret = behind ? STATE_DID_CREATE : STATE_WILL_CREATE;
	else if (in_old)
		*ret = behind ? STATE_DID_DELETE : STATE_WILL_DELETE;
	else
		return -ENOENT;
	return 0;
}

int inode_exists(const struct standing *standing, struct inode_id id,
		 struct generations *ret_gens)
{
	enum inode_state state;
	int r;

	if (id.ino == BTRFS_FIRST_FREE_OBJECTID)
		return 1;
	r = inode_state(standing, id, &state, ret_gens);
	if (r)
		return r;
	return state == STATE_UNCHANGED || state == STATE_DID_CREATE || state == STATE_WILL_DELETE;
}
