#include "view/pair.h"

struct view_pair view_pair_ref(const struct view_pair *pair)
{
	return (struct view_pair){
		.snapshot = pair->snapshot ? snapshot_ref(pair->snapshot) : NULL,
		.parent = pair->parent ? snapshot_ref(pair->parent) : NULL,
		.clone_sources = pair->clone_sources ? g_ptr_array_ref(pair->clone_sources) : NULL,
	};
}

void view_pair_clear(struct view_pair *pair)
{
	g_clear_pointer(&pair->snapshot, snapshot_unref);
	g_clear_pointer(&pair->parent, snapshot_unref);
	g_clear_pointer(&pair->clone_sources, g_ptr_array_unref);
}

char *view_pair_name(const Snapshot *parent, const Snapshot *snapshot)
{
	return parent ? g_strdup_printf("%s..%s", parent->name, snapshot->name)
		      : g_strdup(snapshot->name);
}
