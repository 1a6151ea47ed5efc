#include "send/plan/block_store.h"
#include "base/autofd.h"
#include "send/plan/arena.h"
#include "send/plan/block.h"
#include <fcntl.h>
#include <stdlib.h>
#include <xxhash.h>

/* Read from the file and kept, so that the chunks of a block, which are asked
 * for one by one, do not read it again each time. */
#define KEPT_BYTES ((size_t)1024 * 1024)

struct entry {
	struct per_variant offset; /* in the streams */
	union {
		uint8_t *bytes;	   /* the first n_in_memory */
		uint64_t position; /* in the file */
	};
	uint64_t hash; /* only of blocks in the file */
	uint32_t len;
};

struct BlockStore {
	size_t memory_most, memory; /* bytes of blocks */
	struct arena arena;	    /* has them */
	char *spill_dir;
	struct entry *entries;
	size_t n, room, n_in_memory;
	struct per_variant stream_len;
	int fd; /* -1 before the first block goes there */
	uint64_t file_len;
	LoadCache *kept; /* by index */
};

BlockStore *block_store_new(size_t memory_bytes, const char *spill_dir)
{
	BlockStore *store = g_try_new0(BlockStore, 1);

	if (!store)
		return NULL;
	store->memory_most = spill_dir ? memory_bytes : SIZE_MAX;
	store->spill_dir = g_strdup(spill_dir);
	store->fd = -1;
	store->kept = load_cache_new(KEPT_BYTES);
	return store;
}

void block_store_free(BlockStore *store)
{
	if (!store)
		return;
	arena_clear(&store->arena);
	autofd_close(&store->fd);
	load_cache_free(store->kept);
	g_free(store->entries);
	g_free(store->spill_dir);
	g_free(store);
}

uint64_t block_store_stream_len(const BlockStore *store, enum stream_variant variant)
{
	return store->stream_len.of[variant];
}

uint64_t block_store_memory(const BlockStore *store)
{
	return sizeof(*store) + store->room * sizeof(struct entry) + store->arena.bytes +
	       (store->fd < 0 ? 0 : KEPT_BYTES);
}

/* A file without a name, on any file system. */
static int unlinked_file(const char *dir)
{
	g_autofree char *path = NULL;
	int fd = open(dir, O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0)
		return fd;
	if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)
		return -errno;
	path = g_build_filename(dir, "sendfs-plan-XXXXXX", NULL);
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	unlink(path);
	return fd;
}

static int write_all(int fd, struct span bytes, uint64_t position)
{
	while (bytes.len > 0) {
		ssize_t n = pwrite(fd, bytes.data, bytes.len, (off_t)position);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return -EIO;
		bytes = span_of(bytes.data + n, bytes.len - (size_t)n);
		position += (uint64_t)n;
	}
	return 0;
}

static int read_all(int fd, uint8_t *to, size_t len, uint64_t position)
{
	while (len > 0) {
		ssize_t n = pread(fd, to, len, (off_t)position);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -EIO;
		to += n;
		len -= (size_t)n;
		position += (uint64_t)n;
	}
	return 0;
}

static int entries_grow(BlockStore *store)
{
	const size_t room = store->room ? store->room * 2 : 16;
	struct entry *entries;

	if (store->n < store->room)
		return 0;
	entries = g_try_renew(struct entry, store->entries, room);
	if (!entries)
		return -ENOMEM;
	store->entries = entries;
	store->room = room;
	return 0;
}

static int keep_in_memory(BlockStore *store, struct entry *entry, struct span bytes)
{
	entry->bytes = arena_take(&store->arena, bytes.len);
	if (!entry->bytes)
		return -ENOMEM;
	memcpy(entry->bytes, bytes.data, bytes.len);
	store->memory += bytes.len;
	store->n_in_memory++;
	return 0;
}

static int keep_in_file(BlockStore *store, struct entry *entry, struct span bytes)
{
	int r;

	if (store->fd < 0) {
		int fd = unlinked_file(store->spill_dir);

		if (fd < 0)
			return fd;
		store->fd = fd;
	}
	r = write_all(store->fd, bytes, store->file_len);
	if (r)
		return r;
	entry->position = store->file_len;
	entry->hash = XXH3_64bits(bytes.data, bytes.len);
	store->file_len += bytes.len;
	return 0;
}

int block_store_append(BlockStore *store, struct span bytes, const struct per_variant *stream_len)
{
	struct entry entry = { .offset = store->stream_len, .len = (uint32_t)bytes.len };
	struct per_variant end;
	int r;

	if (bytes.len > UINT32_MAX)
		return -EOVERFLOW;
	for (unsigned i = 0; i < STREAM_VARIANTS; i++)
		if (__builtin_add_overflow(entry.offset.of[i], stream_len->of[i], &end.of[i]))
			return -EOVERFLOW;
	r = entries_grow(store);
	if (r)
		return r;
	if (store->n == store->n_in_memory && bytes.len <= store->memory_most - store->memory)
		r = keep_in_memory(store, &entry, bytes);
	else
		r = keep_in_file(store, &entry, bytes);
	if (r)
		return r;
	store->entries[store->n++] = entry;
	store->stream_len = end;
	return 0;
}

static struct per_variant entry_stream_len(const BlockStore *store, size_t i)
{
	struct per_variant len = i + 1 < store->n ? store->entries[i + 1].offset
						  : store->stream_len;

	for (unsigned variant = 0; variant < STREAM_VARIANTS; variant++)
		len.of[variant] -= store->entries[i].offset.of[variant];
	return len;
}

/* The last one that begins at or before @offset: not one that is empty there. */
static size_t find_entry(const BlockStore *store, enum stream_variant variant, uint64_t offset)
{
	size_t low = 0, high = store->n;

	while (high - low > 1) {
		const size_t middle = low + (high - low) / 2;

		if (store->entries[middle].offset.of[variant] <= offset)
			low = middle;
		else
			high = middle;
	}
	return low;
}

struct load {
	const BlockStore *store;
	size_t i;
};

static int load_block(void *user, Blob **ret)
{
	const struct load *load = user;
	const struct entry *entry = &load->store->entries[load->i];
	const struct per_variant stream_len = entry_stream_len(load->store, load->i);
	g_autoptr(Blob) blob = blob_new(entry->len);
	struct block block;
	int r;

	if (!blob)
		return -ENOMEM;
	r = read_all(load->store->fd, blob->bytes, entry->len, entry->position);
	if (r)
		return r;
	if (XXH3_64bits(blob->bytes, entry->len) != entry->hash)
		return -EUCLEAN;
	r = block_open(span_of(blob->bytes, entry->len), &stream_len, &block);
	if (r == 0)
		r = block_check(&block);
	if (r)
		return r;
	*ret = g_steal_pointer(&blob);
	return 0;
}

int block_store_get(const BlockStore *store, enum stream_variant variant, uint64_t offset,
		    struct stored_block *ret)
{
	struct load load = { .store = store };
	struct stored_block got = { 0 };

	if (offset >= store->stream_len.of[variant])
		return -ERANGE;
	load.i = find_entry(store, variant, offset);
	if (load.i < store->n_in_memory) {
		got.bytes = span_of(store->entries[load.i].bytes, store->entries[load.i].len);
	} else {
		int r = load_cache_get(store->kept, load.i, 0, load_block, &load, &got.blob);

		if (r)
			return r;
		got.bytes = span_of(got.blob->bytes, got.blob->len);
	}
	got.offset = store->entries[load.i].offset;
	got.stream_len = entry_stream_len(store, load.i);
	*ret = got;
	return 0;
}
