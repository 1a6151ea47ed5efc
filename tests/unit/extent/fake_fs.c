#include "unit/extent/fake_fs.h"
#include "base/lock.h"
#include "btrfs/codec/checksum.h"
#include "btrfs/ondisk/data_place.h"
#include <errno.h>

#define FIRST_GENERATION 10u

static int device_read(void *user, uint64_t offset, void *buffer, size_t len)
{
	Fs *fs = user;

	atomic_fetch_add(&fs->n_reads, 1);
	if (offset < atomic_load(&fs->broken_to) && offset + len > atomic_load(&fs->broken_from))
		return -EIO;
	memcpy(buffer, fs->image->data + offset, len);
	return 0;
}

static const struct byte_source_ops device_ops = { .read = device_read };

static ChunkMap *mirrored_map(void)
{
	const struct built_stripe stripes[] = { { .devid = 1 }, { .devid = 2 } };
	const struct built_chunk chunk = {
		.length = FAKE_IMAGE_LEN,
		.type = BTRFS_BLOCK_GROUP_DATA | BTRFS_BLOCK_GROUP_METADATA |
			BTRFS_BLOCK_GROUP_RAID1,
		.n_stripes = 2,
		.stripes = stripes,
	};
	g_autoptr(GByteArray) item = g_byte_array_new();
	ChunkMap *map = chunk_map_new();

	put_chunk_item(item, &chunk);
	g_assert_cmpint(chunk_map_add(map, 0, span_of_bytes(item), FAKE_SECTOR), ==, 0);
	chunk_map_seal(map);
	return map;
}

Fs *fake_fs_new(void)
{
	Fs *fs = g_new0(Fs, 1);

	fs->image = image_new(FAKE_IMAGE_LEN);
	fs->mirror = g_malloc0(FAKE_IMAGE_LEN);
	fs->format = example_format(4096);
	fs->builder = tree_builder_new(fs->image, &fs->format, 0, 0);
	fs->sums = item_set_new();
	fs->items = item_set_new();
	pthread_mutex_init(&fs->lock, NULL);
	return fs;
}

void fs_free(Fs *fs)
{
	if (!fs)
		return;
	workers_free(fs->workers);
	node_store_free(fs->nodes);
	volume_free(fs->volume);
	tree_builder_free(fs->builder);
	item_set_free(fs->sums);
	item_set_free(fs->items);
	image_free(fs->image);
	g_free(fs->mirror);
	pthread_mutex_destroy(&fs->lock);
	g_free(fs);
}

void fake_put_sums(Fs *fs, uint64_t logical, size_t len)
{
	g_autoptr(GByteArray) item = g_byte_array_new();

	for (size_t at = 0; at < len; at += FAKE_SECTOR) {
		uint8_t sum[CHECKSUM_MAX_LEN];

		checksum_compute(fs->format.csum_type, fs->image->data + logical + at, FAKE_SECTOR,
				 sum);
		put_bytes(item, sum, checksum_len(fs->format.csum_type));
	}
	item_set_put(fs->sums, KEY(BTRFS_EXTENT_CSUM_OBJECTID, BTRFS_EXTENT_CSUM_KEY, logical),
		     g_steal_pointer(&item));
}

uint64_t fake_put_data(Fs *fs, struct span data, bool summed)
{
	const size_t len = (data.len + FAKE_SECTOR - 1) / FAKE_SECTOR * FAKE_SECTOR;
	const uint64_t logical = image_alloc(fs->image, len);

	image_write(fs->image, logical, data.data, data.len);
	if (summed)
		fake_put_sums(fs, logical, len);
	return logical;
}

struct data_place fake_put_extent(Fs *fs, uint64_t ino, uint64_t item_offset,
				  const struct file_extent *extent)
{
	GByteArray *item = g_byte_array_new();

	put_file_extent(item, extent);
	item_set_put(fs->items, KEY(ino, BTRFS_EXTENT_DATA_KEY, item_offset), item);
	return data_place_of(item_offset, extent);
}

static struct tree write_tree(Fs *fs, const ItemSet *set, uint64_t id, uint64_t generation)
{
	const struct tree_root root = tree_builder_write(fs->builder, set, id, generation);

	return (struct tree){ .store = fs->nodes,
			      .id = id,
			      .logical = root.logical,
			      .generation = root.generation,
			      .level = root.level };
}

struct fake_state fake_state(Fs *fs, uint64_t generation)
{
	struct fake_state state = { .generation = generation };

	state.csum_tree = write_tree(fs, fs->sums, BTRFS_CSUM_TREE_OBJECTID, generation);
	state.subvolume = write_tree(fs, fs->items, FAKE_SUBVOLUME, generation);
	state.root_item = example_root(state.subvolume.logical, state.subvolume.generation,
				       state.subvolume.level);
	memset(state.root_item.uuid, 7, sizeof(state.root_item.uuid));
	state.root_item.ctransid = FIRST_GENERATION;
	state.root_item.flags = BTRFS_ROOT_SUBVOL_RDONLY;
	return state;
}

void fake_fs_sync(Fs *fs)
{
	memcpy(fs->mirror, fs->image->data, FAKE_IMAGE_LEN);
}

void fake_fs_open(Fs *fs, unsigned n_workers)
{
	struct node_format format = { .node_size = fs->format.node_size,
				      .csum_type = fs->format.csum_type };

	memcpy(format.fsid, fs->format.fsid, sizeof(format.fsid));
	fs->volume = volume_new();
	volume_add_device(fs->volume, 1, "one", byte_source_new(&device_ops, fs, FAKE_IMAGE_LEN));
	volume_add_device(fs->volume, 2, "two",
			  byte_source_new_memory(fs->mirror, FAKE_IMAGE_LEN));
	volume_set_map(fs->volume, mirrored_map());
	if (n_workers > 0)
		fs->workers = workers_new(n_workers, 64);
	fs->nodes = node_store_new(fs->volume, &format, 1 << 20, 0, NULL, NULL);
	fs->now = fake_state(fs, FIRST_GENERATION);
	fake_fs_sync(fs);
}

void fake_set_next(Fs *fs, const struct fake_state *state)
{
	LOCK_SCOPE(&fs->lock);
	fs->next = *state;
}

static struct fake_state state_now(Fs *fs)
{
	LOCK_SCOPE(&fs->lock);
	return fs->now;
}

int fs_refresh(Fs *fs)
{
	atomic_fetch_add(&fs->n_refreshes, 1);
	if (fs->on_refresh)
		fs->on_refresh(fs);
	LOCK_SCOPE(&fs->lock);
	if (fs->next.generation != 0)
		fs->now = fs->next;
	fs->next.generation = 0;
	return 0;
}

struct super fs_super(Fs *fs)
{
	struct super super = { .sector_size = FAKE_SECTOR, .csum_type = fs->format.csum_type };

	super.generation = state_now(fs).generation;
	return super;
}

Volume *fs_volume(Fs *fs)
{
	return fs->volume;
}

NodeStore *fs_nodes(Fs *fs)
{
	return fs->nodes;
}

void fs_tell_bad_copies(Fs *fs)
{
	(void)fs;
}

Workers *fs_workers(Fs *fs)
{
	return fs->workers;
}

Log *fs_log(Fs *fs)
{
	(void)fs;
	return NULL;
}

int fs_tree(Fs *fs, uint64_t id, struct tree *ret)
{
	if (id != BTRFS_CSUM_TREE_OBJECTID)
		return -ENOENT;
	*ret = state_now(fs).csum_tree;
	return 0;
}

int fs_subvolume(Fs *fs, uint64_t id, struct root_item *ret_item, struct tree *ret_tree)
{
	const struct fake_state now = state_now(fs);

	if (now.subvolume.id == 0 || id != now.subvolume.id)
		return -ENOENT;
	if (ret_item)
		*ret_item = now.root_item;
	if (ret_tree)
		*ret_tree = now.subvolume;
	return 0;
}
