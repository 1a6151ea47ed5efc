#include "fakes.h"
#include <stdatomic.h>
#include <unistd.h>

struct fake_snapshot fake_snapshots[8];
int fake_find_error, fake_open_error, fake_plan_error, fake_read_error;
uint64_t fake_size, fake_digest, fake_read_error_at;
_Atomic bool fake_plan_held;
size_t fake_read_most;
_Atomic int fake_streams_open, fake_streams_begun;

void fake_reset(void)
{
	static const struct fake_snapshot few[] = {
		{ "a", 256, 10, 1, 9, false },
		{ "b", 257, 20, 2, 9, false },
		{ "c", 258, 30, 3, 9, false },
		{ "work", 259, 5, 9, 0, true },
	};

	memset(fake_snapshots, 0, sizeof(fake_snapshots));
	memcpy(fake_snapshots, few, sizeof(few));
	fake_find_error = fake_open_error = fake_plan_error = fake_read_error = 0;
	fake_size = 1000003;
	fake_plan_held = false;
	fake_read_most = SIZE_MAX;
	fake_streams_begun = 0;
	g_assert_cmpint(fake_streams_open, ==, 0);
}

/* --- catalog --- */

struct counted {
	Snapshot snapshot;
	_Atomic int refs;
};

static Snapshot *snapshot_of(const struct fake_snapshot *fake)
{
	struct counted *made = g_new0(struct counted, 1);

	made->refs = 1;
	made->snapshot.name = g_strdup(fake->name);
	made->snapshot.path = g_strdup(fake->name);
	made->snapshot.leaf_name = g_strdup(fake->name);
	made->snapshot.id = fake->id;
	made->snapshot.otransid = made->snapshot.ctransid = fake->otransid;
	made->snapshot.generation = fake->otransid;
	made->snapshot.uuid[0] = fake->uuid;
	made->snapshot.parent_uuid[0] = fake->parent_uuid;
	made->snapshot.otime.seconds = 1700000000 + fake->otransid;
	made->snapshot.read_only = !fake->writable;
	return &made->snapshot;
}

Snapshot *snapshot_ref(const Snapshot *snapshot)
{
	struct counted *counted = (struct counted *)(uintptr_t)snapshot;

	counted->refs++;
	return &counted->snapshot;
}

void snapshot_unref(Snapshot *snapshot)
{
	struct counted *counted = (struct counted *)snapshot;

	if (!snapshot || --counted->refs > 0)
		return;
	g_free(snapshot->name);
	g_free(snapshot->path);
	g_free(snapshot->leaf_name);
	g_free(counted);
}

static void unref(gpointer snapshot)
{
	snapshot_unref(snapshot);
}

int catalog_list(Catalog *catalog, GPtrArray **ret)
{
	(void)catalog;
	*ret = g_ptr_array_new_with_free_func(unref);
	for (const struct fake_snapshot *fake = fake_snapshots; fake->name; fake++)
		if (!fake->writable)
			g_ptr_array_add(*ret, snapshot_of(fake));
	return 0;
}

int catalog_find(Catalog *catalog, const char *name, Snapshot **ret)
{
	g_autofree char *id = NULL;

	(void)catalog;
	if (fake_find_error)
		return fake_find_error;
	for (const struct fake_snapshot *fake = fake_snapshots; fake->name; fake++) {
		g_autofree char *number = g_strdup_printf("%" G_GUINT64_FORMAT, fake->id);

		if (strcmp(fake->name, name) != 0 && strcmp(number, name) != 0)
			continue;
		*ret = snapshot_of(fake);
		return 0;
	}
	return -ENOENT;
}

const Snapshot *catalog_predecessor(const GPtrArray *list, const Snapshot *snapshot)
{
	const Snapshot *best = NULL;

	for (guint i = 0; i < list->len; i++) {
		const Snapshot *other = g_ptr_array_index(list, i);

		if (other->parent_uuid[0] == snapshot->parent_uuid[0] &&
		    other->otransid < snapshot->otransid &&
		    (!best || other->otransid > best->otransid))
			best = other;
	}
	return best;
}

/* --- streams --- */

struct Stream {
	_Atomic int refs;
};

int stream_open(StreamRegistry *registry, const struct stream_key *key, Stream **ret)
{
	(void)registry, (void)key;
	if (fake_open_error)
		return fake_open_error;
	*ret = g_new0(Stream, 1);
	(*ret)->refs = 1;
	fake_streams_open++;
	fake_streams_begun++;
	return 0;
}

void stream_unref(Stream *stream)
{
	if (!stream || --stream->refs > 0)
		return;
	fake_streams_open--;
	g_free(stream);
}

int stream_wait(Stream *stream, enum stream_variant variant, stream_interrupted_fn interrupted,
		void *user)
{
	(void)stream, (void)variant;
	while (fake_plan_held) {
		if (interrupted && interrupted(user))
			return -EINTR;
		usleep(1000);
	}
	return fake_plan_error;
}

uint64_t stream_size(const Stream *stream, enum stream_variant variant)
{
	(void)stream;
	return fake_size + (uint64_t)variant;
}

uint64_t stream_digest(const Stream *stream)
{
	(void)stream;
	return fake_digest;
}

struct plan_totals stream_totals(const Stream *stream, enum stream_variant variant)
{
	struct plan_totals totals = { .literal_bytes = fake_size };

	(void)stream, (void)variant;
	totals.commands[CMD_SUBVOL] = 1;
	totals.commands[CMD_MKFILE] = 3;
	totals.commands[CMD_END] = 1;
	return totals;
}

int stream_read(Stream *stream, enum stream_variant variant, uint64_t offset, void *buffer,
		size_t len, size_t *ret_len)
{
	uint64_t end = fake_size + (uint64_t)variant;

	(void)stream;
	if (fake_read_error && offset >= fake_read_error_at)
		return fake_read_error;
	if (fake_read_error)
		end = MIN(end, fake_read_error_at);
	len = MIN(len, fake_read_most);
	len = offset < end ? (size_t)MIN((uint64_t)len, end - offset) : 0;
	for (size_t i = 0; i < len; i++)
		((uint8_t *)buffer)[i] = fake_byte(offset + i);
	*ret_len = len;
	return 0;
}

/* --- the file system --- */

struct super fs_super(Fs *fs)
{
	(void)fs;
	return (struct super){ .fsid = { 0xfe },
			       .total_bytes = 1 << 30,
			       .bytes_used = 1 << 28,
			       .sector_size = 4096 };
}
