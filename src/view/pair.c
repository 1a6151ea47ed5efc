#include "view/pair.h"
#include <errno.h>
#include <string.h>

struct view_pair view_pair_ref(const struct view_pair *pair)
{
	return (struct view_pair){
		.snapshot = pair->snapshot ? snapshot_ref(pair->snapshot) : NULL,
		.parent = pair->parent ? snapshot_ref(pair->parent) : NULL,
	};
}

void view_pair_clear(struct view_pair *pair)
{
	g_clear_pointer(&pair->snapshot, snapshot_unref);
	g_clear_pointer(&pair->parent, snapshot_unref);
}

char *view_pair_name(const Snapshot *parent, const Snapshot *snapshot)
{
	return parent ? g_strdup_printf("%s..%s", parent->name, snapshot->name)
		      : g_strdup(snapshot->name);
}

/* The next ".." at or behind @from with something on both sides, or NULL. */
static const char *next_dots(const char *name, const char *from)
{
	const char *dots = strstr(from > name ? from : name + 1, "..");

	return dots && dots[2] != '\0' ? dots : NULL;
}

static bool means_nothing(int r)
{
	return r == -ENOENT || r == -ENAMETOOLONG;
}

static int find_at(Catalog *catalog, const char *name, const char *dots, struct view_pair *ret)
{
	g_autofree char *parent_name = g_strndup(name, (size_t)(dots - name));
	g_auto(ViewPair) pair = { 0 };
	int r = catalog_find(catalog, parent_name, &pair.parent);

	if (r == 0)
		r = catalog_find(catalog, dots + 2, &pair.snapshot);
	if (r < 0)
		return r;
	*ret = pair;
	pair = (struct view_pair){ 0 };
	return 0;
}

int view_pair_find(Catalog *catalog, const char *name, struct view_pair *ret)
{
	g_auto(ViewPair) found = { 0 };
	unsigned n_found = 0;
	int error = -ENOENT;
	int r;

	if (name[0] == '\0')
		return -ENOENT;
	r = catalog_find(catalog, name, &found.snapshot);
	if (r == 0)
		n_found++;
	else if (!means_nothing(r))
		error = r;
	for (const char *dots = next_dots(name, name); dots; dots = next_dots(name, dots + 1)) {
		g_auto(ViewPair) other = { 0 };

		r = find_at(catalog, name, dots, n_found == 0 ? &found : &other);
		if (r == 0)
			n_found++;
		else if (!means_nothing(r))
			error = r;
	}
	if (n_found == 0)
		return error;
	if (n_found > 1)
		return -EINVAL;
	*ret = found;
	found = (struct view_pair){ 0 };
	return 0;
}

unsigned view_name_readings(GHashTable *names, const char *name)
{
	unsigned n = g_hash_table_contains(names, name) ? 1 : 0;

	for (const char *dots = next_dots(name, name); dots; dots = next_dots(name, dots + 1)) {
		g_autofree char *parent = g_strndup(name, (size_t)(dots - name));

		n += g_hash_table_contains(names, parent) &&
		     g_hash_table_contains(names, dots + 2);
	}
	return n;
}
