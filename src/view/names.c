#include "view/pair.h"
#include <errno.h>
#include <string.h>

/*
 * A name may hold the dots and commas that separate names.  So all ways to
 * read it are tried, and it counts only if there is just one.
 */

/* Finds what has a name: 0 and *ret (or not even that, if only the number of
 * readings is asked for), or why not. */
typedef int (*find_fn)(void *user, const char *name, Snapshot **ret);

struct reading {
	find_fn find;
	void *user;
	int error; /* the last that says more than that there is nothing */
};

static bool means_nothing(int r)
{
	return r == -ENOENT || r == -ENAMETOOLONG;
}

/* Whether [begin, end) is a name, by itself. */
static bool find_part(struct reading *reading, const char *begin, const char *end, Snapshot **ret)
{
	g_autofree char *name = g_strndup(begin, (size_t)(end - begin));
	int r = begin == end ? -ENOENT : reading->find(reading->user, name, ret);

	if (r < 0 && !means_nothing(r))
		reading->error = r;
	return r == 0;
}

/* A place in a list of names where a name can end and the next begin. */
struct boundary {
	const char *at;	  /* a comma, or the end of the list */
	unsigned ways;	  /* to read what lies before it; 2: or more */
	Snapshot *last;	  /* the name that ends here, in the one way there is */
	unsigned previous; /* the boundary before that name */
};

static void boundary_clear(void *boundary)
{
	snapshot_unref(((struct boundary *)boundary)->last);
}

static struct boundary *boundary_at(GArray *boundaries, guint i)
{
	return &g_array_index(boundaries, struct boundary, i);
}

/* Every way in which the last name before boundary @i begins at an earlier one. */
static void read_up_to(struct reading *reading, GArray *boundaries, guint i)
{
	struct boundary *here = boundary_at(boundaries, i);

	for (guint from = 0; from < i && here->ways < 2; from++) {
		const struct boundary *before = boundary_at(boundaries, from);
		g_autoptr(Snapshot) found = NULL;
		/* the first one is the beginning, which no comma stands at */
		const char *begin = from == 0 ? before->at : before->at + 1;

		if (before->ways == 0 || !find_part(reading, begin, here->at, &found))
			continue;
		here->ways = MIN(here->ways + before->ways, 2);
		here->previous = from;
		if (!here->last)
			here->last = g_steal_pointer(&found);
	}
}

/* In how many ways [list, end) is names with commas between them; if in one,
 * *ret is these (Snapshot). */
static unsigned read_list(struct reading *reading, const char *list, const char *end,
			  GPtrArray **ret)
{
	g_autoptr(GArray) boundaries = g_array_new(FALSE, TRUE, sizeof(struct boundary));
	unsigned ways;

	g_array_set_clear_func(boundaries, boundary_clear);
	g_array_append_vals(boundaries, &(struct boundary){ .at = list, .ways = 1 }, 1);
	for (const char *at = list + 1; at <= end; at++)
		if (at == end || *at == ',')
			g_array_append_vals(boundaries, &(struct boundary){ .at = at }, 1);
	if (boundaries->len > VIEW_MOST_SOURCES + 1) {
		reading->error = -E2BIG;
		return 0;
	}
	for (guint i = 1; i < boundaries->len; i++)
		read_up_to(reading, boundaries, i);
	ways = boundary_at(boundaries, boundaries->len - 1)->ways;
	if (ways != 1 || !boundary_at(boundaries, boundaries->len - 1)->last)
		return ways;
	*ret = g_ptr_array_new_with_free_func((GDestroyNotify)snapshot_unref);
	for (guint i = boundaries->len - 1; i > 0; i = boundary_at(boundaries, i)->previous)
		g_ptr_array_insert(*ret, 0, snapshot_ref(boundary_at(boundaries, i)->last));
	return 1;
}

/* What a reading gives. */
struct names {
	GPtrArray *sources; /* NULL: there are no dots */
	Snapshot *snapshot;
};

typedef struct names Names;

static void names_clear(struct names *names)
{
	g_clear_pointer(&names->sources, g_ptr_array_unref);
	g_clear_pointer(&names->snapshot, snapshot_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Names, names_clear)

/* The next ".." at or behind @from with something on both sides, or NULL. */
static const char *next_dots(const char *name, const char *from)
{
	const char *dots = strstr(from > name ? from : name + 1, "..");

	return dots && dots[2] != '\0' ? dots : NULL;
}

/* In how many ways @name can be read; 2 stands for more. */
static unsigned read_name(struct reading *reading, const char *name, struct names *ret)
{
	const char *end = name + strlen(name);
	unsigned ways = 0;

	if (name == end)
		return 0;
	if (find_part(reading, name, end, &ret->snapshot))
		ways++;
	for (const char *dots = next_dots(name, name); dots && ways < 2;
	     dots = next_dots(name, dots + 1)) {
		g_auto(Names) names = { 0 };

		if (!find_part(reading, dots + 2, end, &names.snapshot))
			continue;
		ways += read_list(reading, name, dots, &names.sources);
		if (ways != 1 || !names.sources)
			continue;
		*ret = names;
		names = (struct names){ 0 };
	}
	return MIN(ways, 2);
}

static gint by_id(gconstpointer a, gconstpointer b)
{
	const Snapshot *const *x = a, *const *y = b;

	return (*x)->id < (*y)->id ? -1 : (*x)->id > (*y)->id;
}

/* Takes the parent out of the sources; the others are put in order. */
static int split_sources(struct view_pair *pair, GPtrArray *sources)
{
	const Snapshot *parent;

	pair->parent = g_ptr_array_steal_index(sources, 0);
	parent = pair->parent;
	if (sources->len == 0)
		return 0;
	g_ptr_array_sort(sources, by_id);
	for (guint i = 0; i < sources->len; i++) {
		const Snapshot *source = g_ptr_array_index(sources, i);
		const Snapshot *before = i > 0 ? g_ptr_array_index(sources, i - 1) : NULL;

		if (source->id == parent->id || source->id == pair->snapshot->id ||
		    (before && before->id == source->id))
			return -EEXIST;
	}
	pair->clone_sources = g_ptr_array_ref(sources);
	return 0;
}

static int find_in_catalog(void *catalog, const char *name, Snapshot **ret)
{
	return catalog_find(catalog, name, ret);
}

int view_pair_find(Catalog *catalog, const char *name, struct view_pair *ret)
{
	struct reading reading = { find_in_catalog, catalog, -ENOENT };
	g_auto(ViewPair) pair = { 0 };
	g_auto(Names) names = { 0 };
	const unsigned ways = read_name(&reading, name, &names);
	int r = 0;

	if (ways == 0)
		return reading.error;
	if (ways > 1)
		return -EINVAL;
	pair.snapshot = g_steal_pointer(&names.snapshot);
	if (names.sources)
		r = split_sources(&pair, names.sources);
	if (r < 0)
		return r;
	*ret = pair;
	pair = (struct view_pair){ 0 };
	return 0;
}

/* Nothing is looked at but whether there is something. */
static int find_in_set(void *names, const char *name, Snapshot **ret)
{
	(void)ret;
	return g_hash_table_contains(names, name) ? 0 : -ENOENT;
}

unsigned view_name_readings(GHashTable *names, const char *name)
{
	struct reading reading = { find_in_set, names, -ENOENT };
	g_auto(Names) found = { 0 };

	return read_name(&reading, name, &found);
}
