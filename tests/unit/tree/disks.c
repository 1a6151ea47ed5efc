#include "disks.h"
#include "base/lock.h"
#include "support/bytes.h"
#include "support/items.h"
#include <unistd.h>

static void wait_while_held(struct disks *disks)
{
	LOCK_SCOPE(&disks->lock);

	disks->n_held++;
	pthread_cond_broadcast(&disks->changed);
	while (disks->holding)
		pthread_cond_wait(&disks->changed, &disks->lock);
	disks->n_held--;
}

void disks_hold(struct disks *disks)
{
	LOCK_SCOPE(&disks->lock);

	disks->holding = true;
}

void disks_release(struct disks *disks)
{
	LOCK_SCOPE(&disks->lock);

	disks->holding = false;
	pthread_cond_broadcast(&disks->changed);
}

void disks_wait_held(struct disks *disks, unsigned n)
{
	LOCK_SCOPE(&disks->lock);

	while (disks->n_held < n)
		pthread_cond_wait(&disks->changed, &disks->lock);
}

static int disk_read(void *user, uint64_t offset, void *buffer, size_t len)
{
	struct disk *disk = user;
	struct disks *disks = disk->disks;
	const uint32_t node_size = disks->format.node_size;
	const unsigned delay = atomic_load(&disks->delay_us);

	for (uint64_t at = offset; at < offset + len; at += node_size)
		atomic_fetch_add(&disks->block_reads[at / node_size], 1);
	wait_while_held(disks);
	if (delay > 0)
		usleep(delay);
	if (atomic_load(&disks->reads_until_failure) >= 0 &&
	    atomic_fetch_sub(&disks->reads_until_failure, 1) == 0)
		return -ENXIO;
	memcpy(buffer, disk->data + offset, len);
	return 0;
}

/* Counts what is wanted alone. */
static int disk_readv(void *user, uint64_t offset, const struct iovec *buffers, unsigned n)
{
	int r = 0;

	for (unsigned i = 0; r == 0 && i < n; i++) {
		if (buffers[i].iov_base)
			r = disk_read(user, offset, buffers[i].iov_base, buffers[i].iov_len);
		offset += buffers[i].iov_len;
	}
	return r;
}

static const struct byte_source_ops disk_ops = { .read = disk_read, .readv = disk_readv };

static ChunkMap *whole_map(size_t len)
{
	const struct built_stripe stripes[DISKS_N] = { { .devid = 1 }, { .devid = 2 } };
	const struct built_chunk chunk = {
		.length = len,
		.type = BTRFS_BLOCK_GROUP_METADATA | BTRFS_BLOCK_GROUP_RAID1,
		.n_stripes = DISKS_N,
		.stripes = stripes,
	};
	g_autoptr(GByteArray) item = g_byte_array_new();
	ChunkMap *map = chunk_map_new();

	put_chunk_item(item, &chunk);
	g_assert_cmpint(chunk_map_add(map, 0, span_of_bytes(item), 4096), ==, 0);
	chunk_map_seal(map);
	return map;
}

struct disks *disks_new(size_t len, uint32_t node_size)
{
	struct disks *disks = g_new0(struct disks, 1);

	disks->image = image_new(len);
	disks->format = example_format(node_size);
	disks->block_reads = g_new0(atomic_uint, len / node_size + 1);
	atomic_init(&disks->reads_until_failure, -1);
	pthread_mutex_init(&disks->lock, NULL);
	pthread_cond_init(&disks->changed, NULL);
	disks->volume = volume_new();
	for (unsigned i = 0; i < DISKS_N; i++) {
		struct disk *disk = &disks->disk[i];

		disk->disks = disks;
		disk->data = g_malloc0(len);
		volume_add_device(disks->volume, i + 1, i ? "second" : "first",
				  byte_source_new(&disk_ops, disk, len));
	}
	volume_set_map(disks->volume, whole_map(len));
	return disks;
}

void disks_free(struct disks *disks)
{
	if (!disks)
		return;
	volume_free(disks->volume);
	for (unsigned i = 0; i < DISKS_N; i++)
		g_free(disks->disk[i].data);
	pthread_cond_destroy(&disks->changed);
	pthread_mutex_destroy(&disks->lock);
	g_free(disks->block_reads);
	image_free(disks->image);
	g_free(disks);
}

void disks_attach(struct disks *disks)
{
	for (unsigned i = 0; i < DISKS_N; i++)
		memcpy(disks->disk[i].data, disks->image->data, disks->image->used);
	disks_forget_reads(disks);
}

static size_t n_blocks(const struct disks *disks)
{
	return disks->image->len / disks->format.node_size + 1;
}

void disks_forget_reads(struct disks *disks)
{
	for (size_t i = 0; i < n_blocks(disks); i++)
		atomic_store(&disks->block_reads[i], 0);
}

unsigned disks_reads_of(const struct disks *disks, uint64_t logical)
{
	return atomic_load(&disks->block_reads[logical / disks->format.node_size]);
}

unsigned disks_reads(const struct disks *disks)
{
	unsigned sum = 0;

	for (size_t i = 0; i < n_blocks(disks); i++)
		sum += atomic_load(&disks->block_reads[i]);
	return sum;
}

unsigned disks_most_reads(const struct disks *disks)
{
	unsigned most = 0;

	for (size_t i = 0; i < n_blocks(disks); i++)
		most = MAX(most, atomic_load(&disks->block_reads[i]));
	return most;
}

struct node_format disks_format(const struct disks *disks)
{
	struct node_format format = {
		.node_size = disks->format.node_size,
		.csum_type = disks->format.csum_type,
	};

	memcpy(format.fsid, disks->format.fsid, sizeof(format.fsid));
	memcpy(format.chunk_tree_uuid, disks->format.chunk_tree_uuid,
	       sizeof(format.chunk_tree_uuid));
	return format;
}

NodeStore *disks_store(struct disks *disks, size_t cache_bytes, size_t readahead_bytes,
		       Workers *workers)
{
	const struct node_format format = disks_format(disks);

	return node_store_new(disks->volume, &format, cache_bytes, readahead_bytes, workers, NULL);
}

struct tree disks_tree(NodeStore *store, struct tree_root root)
{
	return (struct tree){
		.store = store,
		.id = 256,
		.logical = root.logical,
		.generation = root.generation,
		.level = root.level,
	};
}
