#include "base/lru.h"

struct entry {
	uint64_t key, generation;
	void *value;
	size_t weight;
	struct entry *newer, *older;
};

struct Lru {
	GHashTable *index;		/* struct entry by itself */
	struct entry *newest, *oldest;
	size_t most, weight;
	GDestroyNotify free_value;
};

/* The finaliser of MurmurHash3: keys are addresses and numbers in a row. */
static uint64_t mix(uint64_t v)
{
	v ^= v >> 33;
	v *= UINT64_C(0xff51afd7ed558ccd);
	v ^= v >> 33;
	v *= UINT64_C(0xc4ceb9fe1a85ec53);
	return v ^ (v >> 33);
}

static guint entry_hash(gconstpointer p)
{
	const struct entry *entry = p;

	return (guint)mix(entry->key ^ mix(entry->generation));
}

static gboolean entry_equal(gconstpointer p, gconstpointer q)
{
	const struct entry *a = p;
	const struct entry *b = q;

	return a->key == b->key && a->generation == b->generation;
}

static struct entry *find(const Lru *lru, uint64_t key, uint64_t generation)
{
	const struct entry wanted = { .key = key, .generation = generation };

	return g_hash_table_lookup(lru->index, &wanted);
}

static void link_newest(Lru *lru, struct entry *entry)
{
	entry->newer = NULL;
	entry->older = lru->newest;
	if (lru->newest)
		lru->newest->newer = entry;
	else
		lru->oldest = entry;
	lru->newest = entry;
}

static void unlink_entry(Lru *lru, struct entry *entry)
{
	if (entry->newer)
		entry->newer->older = entry->older;
	else
		lru->newest = entry->older;
	if (entry->older)
		entry->older->newer = entry->newer;
	else
		lru->oldest = entry->newer;
}

/* Takes the entry out and frees it, but not its value. */
static void *take(Lru *lru, struct entry *entry)
{
	void *value = entry->value;

	g_hash_table_remove(lru->index, entry);
	unlink_entry(lru, entry);
	lru->weight -= entry->weight;
	g_free(entry);
	return value;
}

static void drop(Lru *lru, struct entry *entry)
{
	void *value = take(lru, entry);

	if (lru->free_value)
		lru->free_value(value);
}

Lru *lru_new(size_t most, GDestroyNotify free_value)
{
	Lru *lru = g_new0(Lru, 1);

	lru->index = g_hash_table_new(entry_hash, entry_equal);
	lru->most = most;
	lru->free_value = free_value;
	return lru;
}

void lru_free(Lru *lru)
{
	if (!lru)
		return;
	lru_clear(lru);
	g_hash_table_unref(lru->index);
	g_free(lru);
}

void *lru_get(Lru *lru, uint64_t key, uint64_t generation)
{
	struct entry *entry = find(lru, key, generation);

	if (!entry)
		return NULL;
	unlink_entry(lru, entry);
	link_newest(lru, entry);
	return entry->value;
}

void *lru_peek(const Lru *lru, uint64_t key, uint64_t generation)
{
	const struct entry *entry = find(lru, key, generation);

	return entry ? entry->value : NULL;
}

static bool fits(const Lru *lru, size_t weight)
{
	return lru->most == 0 || (weight <= lru->most && lru->weight <= lru->most - weight);
}

bool lru_put(Lru *lru, uint64_t key, uint64_t generation, void *value, size_t weight)
{
	struct entry *entry;

	if (find(lru, key, generation))
		return false;
	while (lru->oldest && !fits(lru, weight))
		drop(lru, lru->oldest);
	entry = g_new(struct entry, 1);
	*entry = (struct entry){
		.key = key, .generation = generation, .value = value, .weight = weight
	};
	g_hash_table_add(lru->index, entry);
	link_newest(lru, entry);
	lru->weight += weight;
	return true;
}

bool lru_remove(Lru *lru, uint64_t key, uint64_t generation)
{
	struct entry *entry = find(lru, key, generation);

	if (!entry)
		return false;
	drop(lru, entry);
	return true;
}

void *lru_steal(Lru *lru, uint64_t key, uint64_t generation)
{
	struct entry *entry = find(lru, key, generation);

	return entry ? take(lru, entry) : NULL;
}

void lru_clear(Lru *lru)
{
	while (lru->oldest)
		drop(lru, lru->oldest);
}

bool lru_oldest(const Lru *lru, uint64_t *ret_key, uint64_t *ret_generation, void **ret_value)
{
	const struct entry *oldest = lru->oldest;

	if (!oldest)
		return false;
	if (ret_key)
		*ret_key = oldest->key;
	if (ret_generation)
		*ret_generation = oldest->generation;
	if (ret_value)
		*ret_value = oldest->value;
	return true;
}

void lru_foreach(const Lru *lru, lru_visit_fn visit, void *user)
{
	for (const struct entry *entry = lru->newest; entry; entry = entry->older)
		visit(entry->key, entry->generation, entry->value, user);
}

size_t lru_count(const Lru *lru)
{
	return g_hash_table_size(lru->index);
}

size_t lru_weight(const Lru *lru)
{
	return lru->weight;
}
