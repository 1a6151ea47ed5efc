#include "btrfs/inode/name_filter.h"

enum {
	N_SLOTS = 4,
	LEAST_ASKED = 32,      /* before entries are read at all */
	ENTRIES_A_SEARCH = 1024, /* some leaves in a row take the time of one anywhere */
	USUAL_SIZE = 16,       /* what a name adds to the directory's size */
	ENTRIES_A_WORD = 4,
	MARKS = 3, /* bits that each hash sets */
	LEAST_WORDS = 1 << 4,
	MOST_WORDS = 1 << 18,
};

struct slot {
	uint64_t dir; /* 0: empty */
	uint64_t asked;
	uint64_t *words; /* NULL: the entries have not been read */
	uint32_t mask;   /* of a word's number */
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
		g_free(filter->slots[i].words);
	g_free(filter);
}

/* All marks of a hash lie in one word. */
static uint64_t marks_of(uint32_t hash)
{
	const uint64_t mixed = hash * UINT64_C(0x9e3779b97f4a7c15);
	uint64_t marks = 0;

	for (unsigned i = 0; i < MARKS; i++)
		marks |= UINT64_C(1) << (mixed >> (40 + 6 * i) & 63);
	return marks;
}

static bool has_marks(const struct slot *slot, uint32_t hash)
{
	return (~slot->words[hash & slot->mask] & marks_of(hash)) == 0;
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
		g_free(slot->words);
		*slot = (struct slot){ .dir = dir };
	}
	slot->asked++;
	return slot->words && !has_marks(slot, hash);
}

bool name_filter_wants(const NameFilter *filter, uint64_t dir)
{
	const struct slot *slot = &filter->slots[dir % N_SLOTS];

	return slot->dir == dir && !slot->words && slot->asked >= LEAST_ASKED;
}

static int read_entries(NameFilter *filter, uint64_t dir, uint64_t *words, uint32_t mask)
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
		words[key.offset & mask] |= marks_of((uint32_t)key.offset);
	}
	return r == -ENOENT ? 0 : r;
}

static uint32_t n_words_for(uint64_t entries)
{
	uint32_t n = LEAST_WORDS;

	while (n < MOST_WORDS && n * ENTRIES_A_WORD < entries)
		n *= 2;
	return n;
}

void name_filter_read(NameFilter *filter, uint64_t dir, uint64_t size)
{
	struct slot *slot = &filter->slots[dir % N_SLOTS];
	const uint64_t entries = size / USUAL_SIZE;
	const uint32_t n_words = n_words_for(entries);
	g_autofree uint64_t *words = NULL;

	if (slot->asked < entries / ENTRIES_A_SEARCH)
		return;
	words = g_try_new0(uint64_t, n_words);
	if (!words || read_entries(filter, dir, words, n_words - 1) < 0) {
		slot->asked = 0;
		return;
	}
	slot->mask = n_words - 1;
	slot->words = g_steal_pointer(&words);
}
