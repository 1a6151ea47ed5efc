#include "support/super.h"
#include "btrfs/codec/checksum.h"
#include "support/items.h"

#define CSUM_TYPE_AT 196u

struct super example_super(void)
{
	const struct built_stripe stripe = { .devid = 1, .physical = 1 << 20 };
	const struct built_chunk chunk = {
		.length = 8 << 20,
		.type = BTRFS_BLOCK_GROUP_SYSTEM,
		.n_stripes = 1,
		.sub_stripes = 1,
		.stripes = &stripe,
	};
	g_autoptr(GByteArray) sys = g_byte_array_new();
	struct super super = {
		.bytenr = super_offset(0),
		.generation = 9,
		.root = { .logical = 2 << 20, .generation = 9, .level = 1 },
		.chunk_root = { .logical = 1 << 20, .generation = 5, .level = 0 },
		.total_bytes = 256 << 20,
		.bytes_used = 1 << 20,
		.num_devices = 1,
		.sector_size = 4096,
		.node_size = 16384,
		.compat_ro_flags = 3,
		.incompat_flags = 0x341,
		.devid = 1,
		.label = "example",
	};

	fill_noise(super.fsid, sizeof(super.fsid), 1);
	memcpy(super.metadata_uuid, super.fsid, sizeof(super.fsid));
	fill_noise(super.dev_uuid, sizeof(super.dev_uuid), 2);
	put_key(sys, KEY(BTRFS_FIRST_CHUNK_TREE_OBJECTID, BTRFS_CHUNK_ITEM_KEY, 1 << 20));
	put_chunk_item(sys, &chunk);
	memcpy(super.sys_chunks, sys->data, sys->len);
	super.sys_chunks_len = sys->len;
	return super;
}

void put_dev_item(GByteArray *to, const struct super *super)
{
	put_le64(to, super->devid);
	put_le64(to, super->total_bytes);
	put_le64(to, super->bytes_used);
	put_le32(to, super->sector_size); /* I/O alignment */
	put_le32(to, super->sector_size); /* I/O width */
	put_le32(to, super->sector_size);
	put_zeros(to, 8 + 8 + 8 + 4 + 1 + 1);
	put_bytes(to, super->dev_uuid, 16);
	put_bytes(to, super->metadata_uuid, 16);
}

void build_super(const struct super *super, uint8_t ret[SUPER_LEN])
{
	g_autoptr(GByteArray) to = g_byte_array_new();
	bool has_metadata_uuid = memcmp(super->fsid, super->metadata_uuid, 16) != 0;

	put_zeros(to, 32); /* checksum */
	put_bytes(to, super->fsid, 16);
	put_le64(to, super->bytenr);
	put_le64(to, 1 | (uint64_t)super->seeding << 32); /* flags: written */
	put_bytes(to, "_BHRfS_M", 8);
	put_le64(to, super->generation);
	put_le64(to, super->root.logical);
	put_le64(to, super->chunk_root.logical);
	put_le64(to, super->log_root.logical);
	put_le64(to, 0); /* log root transid */
	put_le64(to, super->total_bytes);
	put_le64(to, super->bytes_used);
	put_le64(to, BTRFS_ROOT_TREE_DIR_OBJECTID);
	put_le64(to, super->num_devices);
	put_le32(to, super->sector_size);
	put_le32(to, super->node_size);
	put_le32(to, super->node_size);	  /* leaf size */
	put_le32(to, super->sector_size); /* stripe size */
	put_le32(to, super->sys_chunks_len);
	put_le64(to, super->chunk_root.generation);
	put_le64(to, super->compat_flags);
	put_le64(to, super->compat_ro_flags);
	put_le64(to, super->incompat_flags);
	put_le16(to, super->csum_type);
	put_u8(to, super->root.level);
	put_u8(to, super->chunk_root.level);
	put_u8(to, super->log_root.level);
	put_dev_item(to, super);
	put_bytes(to, super->label, SUPER_LABEL_LEN);
	put_zeros(to, 8 + 8); /* cache and UUID tree generations */
	if (has_metadata_uuid)
		put_bytes(to, super->metadata_uuid, 16);
	g_assert_cmpuint(to->len, <=, 0x32b);
	put_zeros(to, 0x32b - to->len);
	put_bytes(to, super->sys_chunks, SUPER_SYS_CHUNKS_MOST);
	put_zeros(to, SUPER_LEN - to->len);
	memcpy(ret, to->data, SUPER_LEN);
	super_seal(ret);
}

void super_seal(uint8_t bytes[SUPER_LEN])
{
	uint8_t csum[CHECKSUM_MAX_LEN] = { 0 };

	if (checksum_len(load_le16(bytes + CSUM_TYPE_AT)) > 0)
		checksum_compute(load_le16(bytes + CSUM_TYPE_AT), bytes + 32, SUPER_LEN - 32,
				 csum);
	memcpy(bytes, csum, sizeof(csum));
}
