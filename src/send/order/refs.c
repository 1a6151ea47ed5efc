#include "send/order/refs.h"

struct ref_list {
	struct ref *first, *last;
	GHashTable *by_name; /* the same refs, by directory and name */
};

struct RefSet {
	Paths *paths;
	struct ref_list lists[2]; /* deleted, new */
	GStringChunk *text;	  /* names and paths */
	GPtrArray *all;		  /* every struct ref made since the last clear */
	struct path path;
};

static guint ref_hash(gconstpointer key)
{
	const struct ref *ref = key;
	guint hash = (guint)(ref->dir.ino * 31 + ref->dir.gen);

	for (size_t i = 0; i < ref->name.len; i++)
		hash = hash * 33 + ref->name.data[i];
	return hash;
}

static gboolean ref_same(gconstpointer a, gconstpointer b)
{
	const struct ref *x = a, *y = b;

	return inode_id_equal(x->dir, y->dir) && span_equal(x->name, y->name);
}

RefSet *ref_set_new(Paths *paths)
{
	RefSet *set = g_new0(RefSet, 1);

	set->paths = paths;
	set->text = g_string_chunk_new(1024);
	set->all = g_ptr_array_new_with_free_func(g_free);
	for (unsigned i = 0; i < 2; i++)
		set->lists[i].by_name = g_hash_table_new(ref_hash, ref_same);
	return set;
}

void ref_set_free(RefSet *set)
{
	if (!set)
		return;
	for (unsigned i = 0; i < 2; i++)
		g_hash_table_unref(set->lists[i].by_name);
	g_ptr_array_unref(set->all);
	g_string_chunk_free(set->text);
	g_free(set);
}

void ref_set_clear(RefSet *set)
{
	if (set->all->len == 0)
		return;
	for (unsigned i = 0; i < 2; i++) {
		g_hash_table_remove_all(set->lists[i].by_name);
		set->lists[i].first = set->lists[i].last = NULL;
	}
	g_ptr_array_set_size(set->all, 0);
	g_string_chunk_clear(set->text);
}

static void list_append(struct ref_list *list, struct ref *ref)
{
	ref->prev = list->last;
	ref->next = NULL;
	if (list->last)
		list->last->next = ref;
	else
		list->first = ref;
	list->last = ref;
	g_hash_table_add(list->by_name, ref);
}

static void list_remove(struct ref_list *list, struct ref *ref)
{
	g_hash_table_remove(list->by_name, ref);
	if (ref->prev)
		ref->prev->next = ref->next;
	else
		list->first = ref->next;
	if (ref->next)
		ref->next->prev = ref->prev;
	else
		list->last = ref->prev;
}

static struct span keep(RefSet *set, struct span text)
{
	const char *kept = g_string_chunk_insert_len(set->text, (const char *)text.data,
						     (gssize)text.len);

	return span_of(kept, text.len);
}

int ref_set_recompute(RefSet *set, struct ref *ref)
{
	int r = paths_current(set->paths, ref->dir, &set->path);

	if (r == 0)
		r = path_append(&set->path, ref->name);
	if (r == 0)
		ref->path = keep(set, path_span(&set->path));
	return r;
}

int ref_set_record(RefSet *set, bool is_new, struct inode_id dir, struct span name)
{
	const struct ref wanted = { .dir = dir, .name = name };
	struct ref_list *others = &set->lists[!is_new];
	struct ref *ref = g_hash_table_lookup(others->by_name, &wanted);
	int r;

	if (ref) {
		list_remove(others, ref);
		return 0;
	}
	ref = g_new0(struct ref, 1);
	g_ptr_array_add(set->all, ref);
	ref->dir = dir;
	ref->name = keep(set, name);
	r = ref_set_recompute(set, ref);
	if (r == 0)
		list_append(&set->lists[is_new], ref);
	return r;
}

bool ref_set_is_empty(const RefSet *set)
{
	return !set->lists[0].first && !set->lists[1].first;
}

struct ref *ref_set_first_new(const RefSet *set)
{
	return set->lists[1].first;
}

struct ref *ref_set_first_deleted(const RefSet *set)
{
	return set->lists[0].first;
}
