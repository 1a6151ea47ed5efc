#include "btrfs/volume/volume.h"
#include "base/lock.h"
#include <errno.h>
#include <isa-l/erasure_code.h>
#include <stdatomic.h>
#include <stdlib.h>

struct device {
	uint64_t devid;
	char *name;
	ByteSource *source;
	bool behind; /* has missed commits */
};

/* A map and those who are using it. */
struct shared_map {
	ChunkMap *map;
	atomic_uint refs;
	bool whole; /* no device is missing or behind: all ways are as good */
};

struct Volume {
	GArray *devices; /* struct device; complete before the first read */
	pthread_mutex_t lock; /* protects the pointer below, not what it points to */
	struct shared_map *shared;
};

static struct shared_map *shared_map_new(ChunkMap *map)
{
	struct shared_map *shared = g_new0(struct shared_map, 1);

	shared->map = map;
	atomic_init(&shared->refs, 1);
	return shared;
}

static void shared_map_unref(struct shared_map *shared)
{
	if (!shared || atomic_fetch_sub_explicit(&shared->refs, 1, memory_order_acq_rel) != 1)
		return;
	chunk_map_free(shared->map);
	g_free(shared);
}

typedef struct shared_map SharedMap;
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SharedMap, shared_map_unref)

static SharedMap *volume_map(Volume *volume)
{
	LOCK_SCOPE(&volume->lock);
	atomic_fetch_add_explicit(&volume->shared->refs, 1, memory_order_relaxed);
	return volume->shared;
}

static void device_clear(void *user)
{
	struct device *device = user;

	g_free(device->name);
	byte_source_free(device->source);
}

Volume *volume_new(void)
{
	Volume *volume = g_new0(Volume, 1);

	volume->devices = g_array_new(FALSE, FALSE, sizeof(struct device));
	g_array_set_clear_func(volume->devices, device_clear);
	pthread_mutex_init(&volume->lock, NULL);
	volume->shared = shared_map_new(chunk_map_new());
	return volume;
}

void volume_free(Volume *volume)
{
	if (!volume)
		return;
	shared_map_unref(volume->shared);
	pthread_mutex_destroy(&volume->lock);
	g_array_unref(volume->devices);
	g_free(volume);
}

static const struct device *volume_device(const Volume *volume, uint64_t devid)
{
	for (guint i = 0; i < volume->devices->len; i++) {
		const struct device *device = &g_array_index(volume->devices, struct device, i);

		if (device->devid == devid)
			return device;
	}
	return NULL;
}

static bool is_current(uint64_t devid, const void *user)
{
	const struct device *device = volume_device(user, devid);

	return device && !device->behind;
}

static bool is_whole(const Volume *volume, const ChunkMap *map)
{
	uint64_t devid;

	return !chunk_map_misses(map, is_current, volume, &devid);
}

int volume_add_device(Volume *volume, uint64_t devid, const char *name, ByteSource *source)
{
	struct device device = { .devid = devid, .source = source };

	if (volume_device(volume, devid)) {
		byte_source_free(source);
		return -EEXIST;
	}
	device.name = g_strdup(name);
	g_array_append_val(volume->devices, device);
	volume->shared->whole = is_whole(volume, volume->shared->map);
	return 0;
}

void volume_set_behind(Volume *volume, uint64_t devid)
{
	for (guint i = 0; i < volume->devices->len; i++) {
		struct device *device = &g_array_index(volume->devices, struct device, i);

		device->behind = device->behind || device->devid == devid;
	}
	volume->shared->whole = is_whole(volume, volume->shared->map);
}

bool volume_has_device(const Volume *volume, uint64_t devid)
{
	return volume_device(volume, devid) != NULL;
}

void volume_set_map(Volume *volume, ChunkMap *map)
{
	struct shared_map *fresh = shared_map_new(map);
	g_autoptr(SharedMap) old = NULL;

	fresh->whole = is_whole(volume, map);
	LOCK_SCOPE(&volume->lock);
	old = volume->shared;
	volume->shared = fresh;
}

static bool has_device(uint64_t devid, const void *user)
{
	return volume_has_device(user, devid);
}

int volume_add_chunks(Volume *volume, struct span array, uint32_t sector_size)
{
	g_autoptr(SharedMap) shared = volume_map(volume);
	g_autoptr(ChunkMap) map = chunk_map_copy(shared->map);
	int r;

	r = chunk_map_add_array(map, array, sector_size);
	if (r < 0)
		return r;
	chunk_map_seal(map);
	volume_set_map(volume, g_steal_pointer(&map));
	return 0;
}

bool volume_lacks_device(Volume *volume, uint64_t *ret_devid, uint64_t *ret_type)
{
	g_autoptr(SharedMap) shared = volume_map(volume);

	return chunk_map_lacks(shared->map, has_device, volume, ret_devid, ret_type);
}

bool volume_misses_device(Volume *volume, uint64_t *ret_devid)
{
	g_autoptr(SharedMap) shared = volume_map(volume);

	return chunk_map_misses(shared->map, has_device, volume, ret_devid);
}

uint64_t volume_device_end(Volume *volume, uint64_t devid)
{
	g_autoptr(SharedMap) shared = volume_map(volume);

	return chunk_map_device_end(shared->map, devid);
}

/* Whether all devices of a way are there and, for @current, none is behind. */
static bool can_go(const Volume *volume, const ChunkMap *map, uint64_t logical, unsigned way,
		   bool current)
{
	const chunk_has_device_fn has = current ? is_current : has_device;
	struct chunk_place place;
	struct chunk_part part;

	if (chunk_map_find(map, logical, way, &place) < 0)
		return false;
	if (place.n_parts == 0)
		return has(place.devid, volume);
	for (unsigned i = 0; i < place.n_parts; i++)
		if (chunk_map_part(map, logical, way, i, &part) < 0 || !has(part.devid, volume))
			return false;
	return true;
}

static unsigned count_ways(const Volume *volume, const struct shared_map *shared, uint64_t logical)
{
	const unsigned n = chunk_map_ways(shared->map, logical);
	unsigned count = 0;

	if (shared->whole || n == 0)
		return n;
	for (unsigned way = 0; way < n; way++)
		count += can_go(volume, shared->map, logical, way, false);
	return MAX(count, 1); /* which says what is missing */
}

/* The map's number of a way: those that can be gone, the current first. */
static unsigned pick_way(const Volume *volume, const struct shared_map *shared, uint64_t logical,
			 unsigned copy)
{
	const unsigned n = chunk_map_ways(shared->map, logical);

	if (shared->whole)
		return copy;
	for (unsigned way = 0; way < n; way++)
		if (can_go(volume, shared->map, logical, way, true) && copy-- == 0)
			return way;
	for (unsigned way = 0; way < n; way++)
		if (!can_go(volume, shared->map, logical, way, true) &&
		    can_go(volume, shared->map, logical, way, false) && copy-- == 0)
			return way;
	return copy; /* 0: no way; or as many as are wanted too many */
}

unsigned volume_copies(Volume *volume, uint64_t logical)
{
	g_autoptr(SharedMap) shared = volume_map(volume);

	return count_ways(volume, shared, logical);
}

/* Buffers of the same length, behind one another on disk; NULL for what nobody
 * wants. */
struct target {
	void *const *blocks;
	unsigned n;
	size_t len; /* of each */
};

#define MOST_AT_ONCE 128u

static int source_error(int r)
{
	return r == 0 || r == -ENOMEM ? r : -EIO;
}

static int read_direct(const Volume *volume, const struct chunk_place *place,
		       const struct target *target)
{
	const struct device *device = volume_device(volume, place->devid);
	struct iovec buffers[MOST_AT_ONCE];

	if (!device)
		return -ENODEV;
	for (unsigned i = 0; i < target->n; i++)
		buffers[i] = (struct iovec){ .iov_base = target->blocks[i],
					     .iov_len = target->len };
	return source_error(byte_source_readv(device->source, place->physical, buffers,
					      target->n));
}

/* target += factor * bytes */
static void add_part(const struct target *target, uint8_t factor, uint8_t *bytes)
{
	uint8_t table[32];

	ec_init_tables(1, 1, &factor, table);
	for (unsigned i = 0; i < target->n; i++) {
		uint8_t *block = target->blocks[i];

		if (!block)
			continue;
		ec_encode_data_update((int)target->len, 1, 1, 0, table, bytes + i * target->len,
				      &block);
	}
}

static int rebuild_with(const Volume *volume, const ChunkMap *map, uint64_t logical, unsigned way,
			unsigned n_parts, const struct target *target, uint8_t *bytes)
{
	for (unsigned i = 0; i < target->n; i++)
		if (target->blocks[i])
			memset(target->blocks[i], 0, target->len);
	for (unsigned i = 0; i < n_parts; i++) {
		const struct device *device;
		struct chunk_part part;
		int r = chunk_map_part(map, logical, way, i, &part);

		if (r < 0)
			return r;
		device = volume_device(volume, part.devid);
		if (!device)
			return -ENODEV;
		r = byte_source_read(device->source, part.physical, bytes,
				     target->n * target->len);
		if (r < 0)
			return source_error(r);
		add_part(target, part.factor, bytes);
	}
	return 0;
}

static int rebuild(const Volume *volume, const ChunkMap *map, uint64_t logical, unsigned way,
		   unsigned n_parts, const struct target *target)
{
	void *bytes = NULL;
	int r;

	if (posix_memalign(&bytes, 4096, target->n * target->len) != 0)
		return -ENOMEM;
	r = rebuild_with(volume, map, logical, way, n_parts, target, bytes);
	free(bytes);
	return r;
}

/* As many blocks, from the first, as lie in one piece; *ret_done: bytes.  The
 * last of them may be cut at the end of the piece. */
static int read_piece(const Volume *volume, const struct shared_map *shared, uint64_t logical,
		      unsigned copy, const struct target *target, size_t *ret_done)
{
	struct target part = *target;
	struct chunk_place place;
	unsigned way;
	int r;

	way = pick_way(volume, shared, logical, copy);
	r = chunk_map_find(shared->map, logical, way, &place);
	if (r < 0)
		return r;
	part.n = (unsigned)MIN(MIN(target->n, MOST_AT_ONCE), place.len / target->len);
	if (part.n == 0) {
		part.n = 1;
		part.len = (size_t)place.len;
	}
	*ret_done = part.n * part.len;
	if (place.n_parts == 0)
		return read_direct(volume, &place, &part);
	return rebuild(volume, shared->map, logical, way, place.n_parts, &part);
}

/* Later pieces may have fewer ways than the first: the last one does then. */
static unsigned clamp_way(const Volume *volume, const struct shared_map *shared, uint64_t logical,
			  unsigned copy)
{
	return copy == 0 ? 0 : MIN(copy, count_ways(volume, shared, logical) - 1);
}

static int read_single(const Volume *volume, const struct shared_map *shared, uint64_t logical,
		       unsigned copy, uint8_t *at, size_t len)
{
	while (len > 0) {
		void *const block = at;
		const struct target target = { .blocks = &block, .n = 1, .len = len };
		size_t done = 0;
		int r = read_piece(volume, shared, logical, copy, &target, &done);

		if (r < 0)
			return r;
		at += done;
		logical += done;
		len -= done;
		if (len > 0)
			copy = clamp_way(volume, shared, logical, copy);
	}
	return 0;
}

int volume_read(Volume *volume, uint64_t logical, unsigned copy, void *buffer, size_t len)
{
	g_autoptr(SharedMap) shared = volume_map(volume);

	if (len > chunk_map_left(shared->map, logical))
		return -ENOENT;
	if (copy > 0 && copy >= count_ways(volume, shared, logical))
		return -ERANGE;
	return read_single(volume, shared, logical, copy, buffer, len);
}

int volume_read_blocks(Volume *volume, uint64_t logical, unsigned copy, void *const *blocks,
		       unsigned n, size_t len)
{
	g_autoptr(SharedMap) shared = volume_map(volume);

	if ((uint64_t)n * len > chunk_map_left(shared->map, logical))
		return -ENOENT;
	if (copy > 0 && copy >= count_ways(volume, shared, logical))
		return -ERANGE;
	while (n > 0) {
		const struct target target = { .blocks = blocks, .n = n, .len = len };
		unsigned whole;
		size_t done = 0;
		int r = read_piece(volume, shared, logical, copy, &target, &done);

		if (r == 0 && done < len && blocks[0]) /* a block that two stripes share */
			r = read_single(volume, shared, logical + done,
					clamp_way(volume, shared, logical + done, copy),
					(uint8_t *)blocks[0] + done, len - done);
		if (r < 0)
			return r;
		whole = (unsigned)MAX(done / len, 1);
		blocks += whole;
		n -= whole;
		logical += whole * len;
		if (n > 0)
			copy = clamp_way(volume, shared, logical, copy);
	}
	return 0;
}

char *volume_describe(Volume *volume, uint64_t logical, unsigned copy)
{
	g_autoptr(SharedMap) shared = volume_map(volume);
	const unsigned way = pick_way(volume, shared, logical, copy);
	const struct device *device;
	struct chunk_place place;

	if (chunk_map_find(shared->map, logical, way, &place) < 0)
		return g_strdup("no device");
	if (place.n_parts > 0)
		return g_strdup_printf("rebuild %u from parity", way);
	device = volume_device(volume, place.devid);
	if (!device)
		return g_strdup_printf("devid %" G_GUINT64_FORMAT, place.devid);
	return g_strdup_printf("%s (devid %" G_GUINT64_FORMAT ") at %" G_GUINT64_FORMAT,
			       device->name, place.devid, place.physical);
}
