#include "btrfs/volume/volume.h"
#include "base/lock.h"
#include <errno.h>
#include <stdatomic.h>

struct device {
	uint64_t devid;
	char *name;
	ByteSource *source;
};

/* A map and those who are using it. */
struct shared_map {
	ChunkMap *map;
	atomic_uint refs;
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

int volume_add_device(Volume *volume, uint64_t devid, const char *name, ByteSource *source)
{
	struct device device = { .devid = devid, .source = source };

	if (volume_device(volume, devid)) {
		byte_source_free(source);
		return -EEXIST;
	}
	device.name = g_strdup(name);
	g_array_append_val(volume->devices, device);
	return 0;
}

bool volume_has_device(const Volume *volume, uint64_t devid)
{
	return volume_device(volume, devid) != NULL;
}

void volume_set_map(Volume *volume, ChunkMap *map)
{
	struct shared_map *fresh = shared_map_new(map);
	g_autoptr(SharedMap) old = NULL;

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

bool volume_lacks_device(Volume *volume, uint64_t *ret_devid)
{
	g_autoptr(SharedMap) shared = volume_map(volume);

	return chunk_map_lacks(shared->map, has_device, volume, ret_devid);
}

uint64_t volume_device_end(Volume *volume, uint64_t devid)
{
	g_autoptr(SharedMap) shared = volume_map(volume);

	return chunk_map_device_end(shared->map, devid);
}

unsigned volume_copies(Volume *volume, uint64_t logical)
{
	g_autoptr(SharedMap) shared = volume_map(volume);

	return chunk_map_copies(shared->map, logical);
}

/* A part that lies in one piece on one device. */
static int read_place(const Volume *volume, const struct chunk_place *place, void *buffer,
		      size_t len)
{
	const struct device *device = volume_device(volume, place->devid);
	int r;

	if (!device)
		return -ENODEV;
	r = byte_source_read(device->source, place->physical, buffer, len);
	return r == 0 || r == -ENOMEM ? r : -EIO;
}

int volume_read(Volume *volume, uint64_t logical, unsigned copy, void *buffer, size_t len)
{
	g_autoptr(SharedMap) shared = volume_map(volume);
	uint8_t *at = buffer;

	if (len > chunk_map_left(shared->map, logical))
		return -ENOENT;
	while (len > 0) {
		struct chunk_place place;
		size_t part;
		int r;

		r = chunk_map_find(shared->map, logical, copy, &place);
		if (r < 0)
			return r;
		part = MIN(len, place.len);
		r = read_place(volume, &place, at, part);
		if (r < 0)
			return r;
		at += part;
		logical += part;
		len -= part;
	}
	return 0;
}

#define MOST_AT_ONCE 128u

/* As many whole blocks as lie at @place. */
static int read_blocks_at(const Volume *volume, const struct chunk_place *place,
			  void *const *blocks, unsigned n, size_t len)
{
	const struct device *device = volume_device(volume, place->devid);
	struct iovec buffers[MOST_AT_ONCE];
	int r;

	if (!device)
		return -ENODEV;
	for (unsigned i = 0; i < n; i++)
		buffers[i] = (struct iovec){ .iov_base = blocks[i], .iov_len = len };
	r = byte_source_readv(device->source, place->physical, buffers, n);
	return r == 0 || r == -ENOMEM ? r : -EIO;
}

int volume_read_blocks(Volume *volume, uint64_t logical, unsigned copy, void *const *blocks,
		       unsigned n, size_t len)
{
	g_autoptr(SharedMap) shared = volume_map(volume);

	if ((uint64_t)n * len > chunk_map_left(shared->map, logical))
		return -ENOENT;
	while (n > 0) {
		struct chunk_place place;
		unsigned whole;
		int r = chunk_map_find(shared->map, logical, copy, &place);

		if (r < 0)
			return r;
		whole = (unsigned)MIN(MIN(n, MOST_AT_ONCE), place.len / len);
		if (whole > 0)
			r = read_blocks_at(volume, &place, blocks, whole, len);
		else
			r = volume_read(volume, logical, copy, blocks[0], len);
		if (r < 0)
			return r;
		whole = MAX(whole, 1);
		blocks += whole;
		n -= whole;
		logical += whole * len;
	}
	return 0;
}

const char *volume_place_name(Volume *volume, uint64_t logical, unsigned copy,
			      uint64_t *ret_physical)
{
	g_autoptr(SharedMap) shared = volume_map(volume);
	const struct device *device;
	struct chunk_place place;

	*ret_physical = 0;
	if (chunk_map_find(shared->map, logical, copy, &place) < 0)
		return "?";
	*ret_physical = place.physical;
	device = volume_device(volume, place.devid);
	return device ? device->name : "?";
}
