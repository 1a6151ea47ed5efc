#include "btrfs/inode/name_filter.h"

enum {
	N_SLOTS = 4,
	LEAST_ASKED = 32,      /* before entries are read at all */
	ENTRIES_A_SEARCH = 1024, /* some leaves in a row take the time of one anywhere */
	USUAL_SIZE = 16,       /* what a name adds to the directory's size */
	BITS_AN_ENTRY = 16,
	MARKS = 3, /* bits that each hash sets */
	LEAST_BITS = 1 << 10,
	MOST_BITS = 1 << 24,
};

struct slot {
	uint64_t dir; /* 0: empty */
	uint64_t asked;
	uint64_t *bits; /* NULL: the entries have not been read */
	uint32_t mask;  /* of a bit's number */
};

struct NameFilter {
	struct tree tree;
	struct slot slots[N_SLOTS];
};

NameFilter *name_filter_new(const struct tree *tree)
{
	NameFilter *filter = g_try_new0(NameFilter, 1);

	if (filter)
		filter->tree = *tree;
	return filter;
}

void name_filter_free(NameFilter *filter)
{
	if (!filter)
		return;
	for (unsigned i = 0; i < N_SLOTS; i++)
		g_free(filter->slots[i].bits);
	g_free(filter);
}

static uint32_t mark(uint32_t hash, unsigned i)
{
	return (uint32_t)(hash * UINT64_C(0x9e3779b97f4a7c15) >> (8 + 12 * i));
}

static bool has_marks(const struct slot *slot, uint32_t hash)
{
	bool all = true;

	for (unsigned i = 0; all && i < MARKS; i++) {
		const uint32_t bit = mark(hash, i) & slot->mask;

		all = slot->bits[bit / 64] >> bit % 64 & 1;
	}
	return all;
}

static void set_marks(uint64_t *bits, uint32_t mask, uint32_t hash)
{
	for (unsigned i = 0; i < MARKS; i++) {
		const uint32_t bit = mark(hash, i) & mask;

		bits[bit / 64] |= UINT64_C(1) << bit % 64;
	}
}

bool name_filter_excludes(NameFilter *filter, uint64_t dir, uint32_t hash)
{
	struct slot *slot = &filter->slots[dir % N_SLOTS];

	if (slot->dir != dir) {
		/* Who holds a slot leaves when others have asked as often. */
		if (slot->asked > 0) {
			slot->asked--;
			return false;
		}
		g_free(slot->bits);
		*slot = (struct slot){ .dir = dir };
	}
	slot->asked++;
	return slot->bits && !has_marks(slot, hash);
}

bool name_filter_wants(const NameFilter *filter, uint64_t dir)
{
	const struct slot *slot = &filter->slots[dir % N_SLOTS];

	return slot->dir == dir && !slot->bits && slot->asked >= LEAST_ASKED;
}

static int read_entries(NameFilter *filter, uint64_t dir, uint64_t *bits, uint32_t mask)
{
	g_autoptr(TreeCursor) cursor = tree_cursor_new(&filter->tree, TREE_READAHEAD_FORWARD);
	const struct key first = KEY(dir, BTRFS_DIR_ITEM_KEY, 0);
	int r;

	if (!cursor)
		return -ENOMEM;
	for (r = tree_cursor_seek(cursor, &first); r == 0; r = tree_cursor_next(cursor)) {
		const struct key key = tree_cursor_key(cursor);

		if (key.objectid != dir || key.type != BTRFS_DIR_ITEM_KEY)
			return 0;
		set_marks(bits, mask, (uint32_t)key.offset);
	}
	return r == -ENOENT ? 0 : r;
}

static uint32_t n_bits_for(uint64_t entries)
{
	uint32_t n = LEAST_BITS;

	while (n < MOST_BITS && n / BITS_AN_ENTRY < entries)
		n *= 2;
	return n;
}

void name_filter_read(NameFilter *filter, uint64_t dir, uint64_t size)
{
	struct slot *slot = &filter->slots[dir % N_SLOTS];
	const uint64_t entries = size / USUAL_SIZE;
	const uint32_t n_bits = n_bits_for(entries);
	g_autofree uint64_t *bits = NULL;

	if (slot->asked < entries / ENTRIES_A_SEARCH)
		return;
	bits = g_try_new0(uint64_t, n_bits / 64);
	if (!bits || read_entries(filter, dir, bits, n_bits - 1) < 0) {
		slot->asked = 0;
		return;
	}
	slot->mask = n_bits - 1;
	slot->bits = g_steal_pointer(&bits);
}
