#include "btrfs/subvol/snapshot.h"
#include <stdatomic.h>

/* What a Snapshot lies in. */
struct counted_snapshot {
	Snapshot snapshot; /* first */
	atomic_uint refs;
};

Snapshot *snapshot_new(const char *name, const char *path, const char *leaf_name)
{
	struct counted_snapshot *counted = g_new0(struct counted_snapshot, 1);

	atomic_init(&counted->refs, 1);
	counted->snapshot.name = g_strdup(name);
	counted->snapshot.path = g_strdup(path);
	counted->snapshot.leaf_name = g_strdup(leaf_name);
	return &counted->snapshot;
}

static struct counted_snapshot *counted_of(const Snapshot *snapshot)
{
	return (struct counted_snapshot *)(uintptr_t)snapshot;
}

Snapshot *snapshot_ref(const Snapshot *snapshot)
{
	struct counted_snapshot *counted = counted_of(snapshot);

	atomic_fetch_add_explicit(&counted->refs, 1, memory_order_relaxed);
	return &counted->snapshot;
}

void snapshot_unref(Snapshot *snapshot)
{
	struct counted_snapshot *counted = counted_of(snapshot);

	if (!snapshot || atomic_fetch_sub_explicit(&counted->refs, 1, memory_order_acq_rel) != 1)
		return;
	g_free(snapshot->name);
	g_free(snapshot->path);
	g_free(snapshot->leaf_name);
	g_free(counted);
}

static bool uuid_equal(const uint8_t a[16], const uint8_t b[16])
{
	static const uint8_t none[16];

	return memcmp(a, b, 16) == 0 && memcmp(a, none, 16) != 0;
}

static bool same_origin(const Snapshot *a, const Snapshot *b)
{
	return uuid_equal(a->parent_uuid, b->parent_uuid) || uuid_equal(a->uuid, b->parent_uuid) ||
	       uuid_equal(b->uuid, a->parent_uuid);
}

static bool is_older(const Snapshot *a, const Snapshot *b)
{
	return a->otransid != b->otransid ? a->otransid < b->otransid : a->id < b->id;
}

const Snapshot *catalog_predecessor(const GPtrArray *list, const Snapshot *snapshot)
{
	const Snapshot *best = NULL;

	for (guint i = 0; i < list->len; i++) {
		const Snapshot *other = g_ptr_array_index(list, i);

		if (is_older(other, snapshot) && same_origin(other, snapshot) &&
		    (!best || is_older(best, other)))
			best = other;
	}
	return best;
}
