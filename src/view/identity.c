#include "view/identity.h"
#include <xxhash.h>

static void add_u64(GByteArray *to, uint64_t value)
{
	uint8_t bytes[8];

	store_le64(bytes, value);
	g_byte_array_append(to, bytes, sizeof(bytes));
}

static void add_string(GByteArray *to, const char *text)
{
	const size_t len = strlen(text);

	add_u64(to, len);
	g_byte_array_append(to, (const uint8_t *)text, (guint)len);
}

/* The generation is left out on purpose: a balance, or a snapshot of the
 * snapshot, changes it without changing a byte of any stream. */
static void add_snapshot(GByteArray *to, const Snapshot *snapshot)
{
	g_byte_array_append(to, snapshot->uuid, sizeof(snapshot->uuid));
	g_byte_array_append(to, snapshot->received_uuid, sizeof(snapshot->received_uuid));
	add_u64(to, snapshot->id);
	add_u64(to, snapshot->ctransid);
}

/* What info says and a stream does not depend on. */
static void add_description(GByteArray *to, const Snapshot *snapshot)
{
	add_string(to, snapshot->name);
	add_string(to, snapshot->path);
	add_u64(to, snapshot->generation);
}

GBytes *identity_new(const uint8_t fsid[16], enum view_kind kind, enum stream_variant variant,
		     const struct view_pair *pair, const char *directory)
{
	GByteArray *bytes = g_byte_array_new();
	const uint8_t head[2] = { (uint8_t)kind, (uint8_t)variant };

	g_byte_array_append(bytes, fsid, 16);
	g_byte_array_append(bytes, head, sizeof(head));
	if (pair->snapshot) {
		add_snapshot(bytes, pair->snapshot);
		add_string(bytes, pair->snapshot->leaf_name);
	}
	if (pair->parent)
		add_snapshot(bytes, pair->parent);
	for (guint i = 0; pair->clone_sources && i < pair->clone_sources->len; i++)
		add_snapshot(bytes, g_ptr_array_index(pair->clone_sources, i));
	if (kind == VIEW_INFO) {
		add_description(bytes, pair->snapshot);
		if (pair->parent)
			add_description(bytes, pair->parent);
		for (guint i = 0; pair->clone_sources && i < pair->clone_sources->len; i++)
			add_description(bytes, g_ptr_array_index(pair->clone_sources, i));
	}
	if (kind == VIEW_DIRECTORY)
		add_string(bytes, directory);
	return g_byte_array_free_to_bytes(bytes);
}

uint64_t identity_ino(GBytes *identity, unsigned n_replaced)
{
	gsize len;
	const void *data = g_bytes_get_data(identity, &len);
	const uint64_t hash = XXH64(data, len, n_replaced);

	return hash > VIEW_ROOT_INO ? hash : hash + 2;
}
