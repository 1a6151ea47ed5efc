#include "btrfs/backref/internal.h"

/* A file system that is in use may commit while its trees are read. */
#define TRIES 8u

struct Backrefs {
	Fs *fs;
	RefSources *sources;
	Lru *users;	 /* extent -> struct extent_users */
	Lru *block_refs; /* tree block -> GArray of struct block_ref */
	Lru *roots;	 /* leaf -> GArray of uint64_t */
};

static void free_array(void *array)
{
	g_array_unref(array);
}

Backrefs *backrefs_new(Fs *fs, size_t memory)
{
	Backrefs *backrefs = g_new0(Backrefs, 1);

	backrefs->fs = fs;
	backrefs->sources = ref_sources_new(fs);
	backrefs->users = lru_new(memory / 2, g_free);
	backrefs->block_refs = lru_new(memory / 4, free_array);
	backrefs->roots = lru_new(memory / 4, free_array);
	return backrefs;
}

void backrefs_free(Backrefs *backrefs)
{
	if (!backrefs)
		return;
	ref_sources_free(backrefs->sources);
	lru_free(backrefs->users);
	lru_free(backrefs->block_refs);
	lru_free(backrefs->roots);
	g_free(backrefs);
}

/* After @r: is it worth trying again with what has been committed since? */
static bool may_try_again(Backrefs *backrefs, int r, unsigned *tries)
{
	if (r != -ESTALE && r != -EUCLEAN && r != -EBADMSG)
		return false;
	if (++*tries == TRIES || fs_refresh(backrefs->fs))
		return false;
	ref_sources_reset(backrefs->sources);
	return true;
}

int backrefs_users(Backrefs *backrefs, uint64_t logical, uint64_t most_refs,
		   const struct extent_users **ret)
{
	struct extent_users *users = lru_get(backrefs->users, logical, 0);
	unsigned tries = 0;
	size_t bytes;
	int r;

	while (!users) {
		r = find_users(backrefs->sources, logical, most_refs, &users, &bytes);
		if (r == 0)
			lru_put(backrefs->users, logical, 0, users, bytes);
		else if (!may_try_again(backrefs, r, &tries))
			return r;
	}
	*ret = users;
	return 0;
}

static int block_refs_of(Backrefs *backrefs, uint64_t logical, uint64_t most_refs, GArray **ret)
{
	GArray *refs = lru_get(backrefs->block_refs, logical, 0);
	unsigned tries = 0;
	int r;

	while (!refs) {
		r = find_block_refs(backrefs->sources, logical, most_refs, &refs);
		if (r == 0)
			lru_put(backrefs->block_refs, logical, 0, refs,
				sizeof(*refs) + refs->len * sizeof(struct block_ref));
		else if (!may_try_again(backrefs, r, &tries))
			return r;
	}
	*ret = refs;
	return 0;
}

/* Values in the order in which they came, each once. */
struct once {
	GArray *values; /* uint64_t */
	GHashTable *seen;
};

static void append_once(const struct once *once, uint64_t value)
{
	if (g_hash_table_contains(once->seen, &value))
		return;
	g_hash_table_add(once->seen, g_memdup2(&value, sizeof(value)));
	g_array_append_val(once->values, value);
}

static GHashTable *set_new(void)
{
	return g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
}

/* Breadth first; no block is gone up from twice, so that it ends. */
static int find_roots(Backrefs *backrefs, uint64_t logical, uint64_t most_refs, GArray *roots)
{
	g_autoptr(GHashTable) seen_blocks = set_new(), seen_roots = set_new();
	g_autoptr(GArray) queue = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	const struct once blocks = { queue, seen_blocks }, ids = { roots, seen_roots };

	append_once(&blocks, logical);
	for (guint at = 0; at < queue->len; at++) {
		GArray *refs;
		int r = block_refs_of(backrefs, g_array_index(queue, uint64_t, at), most_refs,
				      &refs);

		if (r)
			return r;
		for (guint i = 0; i < refs->len; i++) {
			const struct block_ref *ref = &g_array_index(refs, struct block_ref, i);

			append_once(ref->is_root ? &ids : &blocks, ref->value);
		}
	}
	return 0;
}

int backrefs_roots(Backrefs *backrefs, uint64_t logical, uint64_t most_refs, GArray **ret)
{
	GArray *roots = lru_get(backrefs->roots, logical, 0);
	int r;

	if (!roots) {
		roots = g_array_new(FALSE, FALSE, sizeof(uint64_t));
		r = find_roots(backrefs, logical, most_refs, roots);
		if (r) {
			g_array_unref(roots);
			return r;
		}
		lru_put(backrefs->roots, logical, 0, roots,
			sizeof(*roots) + roots->len * sizeof(uint64_t));
	}
	*ret = roots;
	return 0;
}
