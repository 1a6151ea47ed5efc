#include "view/listing.h"

struct Listing {
	GArray *entries; /* of struct listing_entry */
};

static const struct {
	const char *name;
	enum view_kind kind;
	enum stream_variant variant;
} files[] = {
	{ "stream", VIEW_STREAM, STREAM_V1 },
	{ "stream-v2", VIEW_STREAM, STREAM_V2 },
	{ "stream-v2-compressed", VIEW_STREAM, STREAM_V2_COMPRESSED },
	{ "stream-nodata", VIEW_STREAM, STREAM_NODATA },
	{ "info", VIEW_INFO, STREAM_V1 },
};

bool listing_file_kind(const char *name, enum view_kind *ret_kind,
		       enum stream_variant *ret_variant)
{
	for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
		if (strcmp(files[i].name, name) != 0)
			continue;
		*ret_kind = files[i].kind;
		*ret_variant = files[i].variant;
		return true;
	}
	return false;
}

static void entry_clear(void *entry)
{
	g_free(((struct listing_entry *)entry)->name);
}

/* Takes over @name. */
static void add(Listing *listing, char *name, uint64_t ino, bool is_directory)
{
	const struct listing_entry entry = { name, ino, is_directory };

	g_array_append_val(listing->entries, entry);
}

static Listing *listing_new(uint64_t ino)
{
	Listing *listing = g_new0(Listing, 1);

	listing->entries = g_array_new(FALSE, FALSE, sizeof(struct listing_entry));
	g_array_set_clear_func(listing->entries, entry_clear);
	add(listing, g_strdup("."), ino, true);
	add(listing, g_strdup(".."), VIEW_ROOT_INO, true);
	return listing;
}

static void add_directory(Listing *listing, const uint8_t fsid[16], GHashTable *names,
			  const struct view_pair *pair)
{
	g_autofree char *name = view_pair_name(pair->parent, pair->snapshot);
	g_autoptr(GBytes) identity = NULL;

	if (view_name_readings(names, name) != 1)
		return;
	identity = identity_new(fsid, VIEW_DIRECTORY, STREAM_V1, pair, name);
	add(listing, g_steal_pointer(&name), identity_ino(identity, 0), true);
}

Listing *listing_new_root(const uint8_t fsid[16], const GPtrArray *snapshots)
{
	Listing *listing = listing_new(VIEW_ROOT_INO);
	g_autoptr(GHashTable) names = g_hash_table_new(g_str_hash, g_str_equal);

	for (guint i = 0; i < snapshots->len; i++) {
		const Snapshot *snapshot = g_ptr_array_index(snapshots, i);

		g_hash_table_add(names, snapshot->name);
	}
	for (guint i = 0; i < snapshots->len; i++) {
		const Snapshot *parent;
		g_auto(ViewPair) pair = {
			.snapshot = snapshot_ref(g_ptr_array_index(snapshots, i)),
		};

		add_directory(listing, fsid, names, &pair);
		parent = catalog_predecessor(snapshots, pair.snapshot);
		if (!parent)
			continue;
		pair.parent = snapshot_ref(parent);
		add_directory(listing, fsid, names, &pair);
	}
	return listing;
}

Listing *listing_new_pair(NodeTable *nodes, const struct view_pair *pair, uint64_t ino)
{
	Listing *listing = listing_new(ino);

	for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
		const struct node_wish wish = { files[i].kind, files[i].variant, pair, NULL };

		add(listing, g_strdup(files[i].name), node_table_ino(nodes, &wish), false);
	}
	return listing;
}

void listing_free(Listing *listing)
{
	if (!listing)
		return;
	g_array_unref(listing->entries);
	g_free(listing);
}

const struct listing_entry *listing_at(const Listing *listing, uint64_t position)
{
	if (position >= listing->entries->len)
		return NULL;
	return &g_array_index(listing->entries, struct listing_entry, position);
}
