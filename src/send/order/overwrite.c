#include "send/order/overwrite.h"

/* The inode that an entry points to; -ENOENT also where it is a subvolume. */
static int lookup_inode(InodeReader *side, uint64_t dir, struct span name, uint64_t *ret)
{
	struct key location;
	int r = inode_reader_lookup(side, dir, name, &location);

	if (r)
		return r;
	if (location.type == BTRFS_ROOT_ITEM_KEY)
		return -ENOENT;
	*ret = location.objectid;
	return 0;
}

int did_overwrite(const struct standing *standing, struct inode_id dir, struct span name,
		  struct inode_id id)
{
	struct generations gens = { 0 };
	uint64_t taker, gen;
	int r;

	if (!standing->old)
		return 0;
	r = inode_exists(standing, dir, &gens);
	if (r <= 0)
		return r;
	if (dir.ino != BTRFS_FIRST_FREE_OBJECTID && gens.new != dir.gen)
		return 0;
	r = lookup_inode(standing->new, dir.ino, name, &taker);
	if (r)
		return r == -ENOENT ? 0 : r;
	if (taker == id.ino) {
		r = inode_reader_generation(standing->new, taker, &gen);
		if (r)
			return r;
		if (gen == id.gen)
			return 0;
	}
	if (taker < standing->frontier)
		return 1;
	if (id.ino == standing->current.ino || taker != standing->current.ino)
		return 0;
	r = inode_reader_generation(standing->new, taker, &gen);
	return r ? r : gen == standing->current.gen;
}

int did_overwrite_first_ref(const struct standing *standing, struct inode_id id)
{
	struct reference first;
	uint64_t dir_gen;
	int r;

	if (!standing->old)
		return 0;
	r = inode_reader_first_ref(standing->old, id.ino, &first);
	if (r == 0)
		r = inode_reader_generation(standing->old, first.dir, &dir_gen);
	if (r)
		return r;
	return did_overwrite(standing, (struct inode_id){ first.dir, dir_gen },
			     name_span(&first.name), id);
}

int will_overwrite(const struct standing *standing, const Moves *moves, struct inode_id dir,
		   struct span name, struct victim *ret)
{
	const struct inode_item *item;
	struct generations gens = { 0 };
	uint64_t ino;
	int r;

	if (!standing->old)
		return 0;
	r = inode_exists(standing, dir, &gens);
	if (r <= 0)
		return r == -ENOENT ? 0 : r;
	if (dir.ino != BTRFS_FIRST_FREE_OBJECTID && gens.old != dir.gen)
		return 0;
	r = lookup_inode(standing->old, dir.ino, name, &ino);
	if (r)
		return r == -ENOENT ? 0 : r;
	if (ino <= standing->frontier && !moves_waiting(moves, ino))
		return 0;
	r = inode_reader_item(standing->old, ino, &item);
	if (r)
		return r;
	*ret = (struct victim){ .id = { ino, item->generation }, .mode = item->mode };
	return 1;
}
