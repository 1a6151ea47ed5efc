#include "support/items.h"
#include <sys/stat.h>

void put_key(GByteArray *to, struct key key)
{
	put_le64(to, key.objectid);
	put_u8(to, key.type);
	put_le64(to, key.offset);
}

static void put_time(GByteArray *to, const struct disk_time *time)
{
	put_le64(to, time->seconds);
	put_le32(to, time->nanoseconds);
}

static void put_name(GByteArray *to, const char *name)
{
	put_le16(to, (uint16_t)strlen(name));
	put_span(to, span_str(name));
}

void put_inode_item(GByteArray *to, const struct inode_item *inode)
{
	put_le64(to, inode->generation);
	put_le64(to, inode->transid);
	put_le64(to, inode->size);
	put_le64(to, inode->nbytes);
	put_le64(to, 0); /* block group */
	put_le32(to, inode->nlink);
	put_le32(to, inode->uid);
	put_le32(to, inode->gid);
	put_le32(to, inode->mode);
	put_le64(to, inode->rdev);
	put_le64(to, inode->flags);
	put_le64(to, 1);       /* sequence */
	put_zeros(to, 4 * 8); /* reserved */
	put_time(to, &inode->atime);
	put_time(to, &inode->ctime);
	put_time(to, &inode->mtime);
	put_time(to, &inode->otime);
}

void put_inode_ref(GByteArray *to, uint64_t index, const char *name)
{
	put_le64(to, index);
	put_name(to, name);
}

void put_inode_extref(GByteArray *to, uint64_t parent, uint64_t index, const char *name)
{
	put_le64(to, parent);
	put_le64(to, index);
	put_name(to, name);
}

void put_dir_entry(GByteArray *to, const struct dir_entry *entry)
{
	put_key(to, entry->location);
	put_le64(to, entry->transid);
	put_le16(to, (uint16_t)entry->data.len);
	put_le16(to, (uint16_t)entry->name.len);
	put_u8(to, entry->type);
	put_span(to, entry->name);
	put_span(to, entry->data);
}

void put_dir_item(GByteArray *to, uint64_t ino, uint8_t type, const char *name)
{
	const struct dir_entry entry = {
		.location = KEY(ino, BTRFS_INODE_ITEM_KEY, 0),
		.transid = 1,
		.name = span_str(name),
		.type = type,
	};

	put_dir_entry(to, &entry);
}

void put_xattr(GByteArray *to, const char *name, struct span value)
{
	const struct dir_entry entry = {
		.transid = 1,
		.name = span_str(name),
		.data = value,
		.type = BTRFS_FT_XATTR,
	};

	put_dir_entry(to, &entry);
}

void put_file_extent(GByteArray *to, const struct file_extent *extent)
{
	put_le64(to, extent->generation);
	put_le64(to, extent->ram_bytes);
	put_u8(to, extent->compression);
	put_u8(to, 0);	 /* encryption */
	put_le16(to, 0); /* other encoding */
	put_u8(to, extent->type);
	if (extent->type == BTRFS_FILE_EXTENT_INLINE) {
		put_span(to, extent->inline_data);
		return;
	}
	put_le64(to, extent->disk_bytenr);
	put_le64(to, extent->disk_num_bytes);
	put_le64(to, extent->offset);
	put_le64(to, extent->num_bytes);
}

void put_root_item(GByteArray *to, const struct root_item *root)
{
	const struct inode_item inode = example_dir();

	put_inode_item(to, &inode);
	put_le64(to, root->generation);
	put_le64(to, root->dirid);
	put_le64(to, root->bytenr);
	put_zeros(to, 3 * 8); /* byte limit, bytes used, last snapshot */
	put_le64(to, root->flags);
	put_le32(to, root->refs);
	put_zeros(to, 17 + 1); /* drop progress, its level */
	put_u8(to, root->level);
	put_le64(to, root->generation); /* generation_v2 */
	put_bytes(to, root->uuid, 16);
	put_bytes(to, root->parent_uuid, 16);
	put_bytes(to, root->received_uuid, 16);
	put_le64(to, root->ctransid);
	put_le64(to, root->otransid);
	put_le64(to, root->stransid);
	put_le64(to, root->rtransid);
	put_time(to, &root->ctime);
	put_time(to, &root->otime);
	put_time(to, &root->stime);
	put_time(to, &root->rtime);
	put_zeros(to, 8 * 8); /* reserved */
}

void put_root_ref(GByteArray *to, uint64_t dirid, uint64_t sequence, const char *name)
{
	put_le64(to, dirid);
	put_le64(to, sequence);
	put_name(to, name);
}

void put_chunk_item(GByteArray *to, const struct built_chunk *chunk)
{
	put_le64(to, chunk->length);
	put_le64(to, BTRFS_EXTENT_TREE_OBJECTID);
	put_le64(to, 65536); /* stripe length */
	put_le64(to, chunk->type);
	put_le32(to, 65536); /* I/O alignment */
	put_le32(to, 65536); /* I/O width */
	put_le32(to, 4096);  /* sector size */
	put_le16(to, chunk->n_stripes);
	put_le16(to, chunk->sub_stripes);
	for (unsigned i = 0; i < chunk->n_stripes; i++) {
		put_le64(to, chunk->stripes[i].devid);
		put_le64(to, chunk->stripes[i].physical);
		put_bytes(to, chunk->stripes[i].dev_uuid, 16);
	}
}

struct inode_item example_file(uint64_t size)
{
	return (struct inode_item){
		.generation = 7,
		.transid = 8,
		.size = size,
		.nbytes = size,
		.nlink = 1,
		.uid = 1000,
		.gid = 100,
		.mode = S_IFREG | 0644,
		.atime = { 1600000001, 1 },
		.ctime = { 1600000002, 2 },
		.mtime = { 1600000003, 3 },
		.otime = { 1600000004, 4 },
	};
}

struct inode_item example_dir(void)
{
	struct inode_item dir = example_file(0);

	dir.mode = S_IFDIR | 0755;
	return dir;
}

struct root_item example_root(uint64_t bytenr, uint64_t generation, uint8_t level)
{
	struct root_item root = {
		.generation = generation,
		.bytenr = bytenr,
		.dirid = BTRFS_FIRST_FREE_OBJECTID,
		.refs = 1,
		.level = level,
		.ctransid = generation,
		.otransid = generation,
	};

	fill_noise(root.uuid, sizeof(root.uuid), bytenr ^ generation);
	return root;
}

struct file_extent example_extent(uint64_t disk_bytenr, uint64_t len)
{
	return (struct file_extent){
		.generation = 7,
		.ram_bytes = len,
		.type = BTRFS_FILE_EXTENT_REG,
		.disk_bytenr = disk_bytenr,
		.disk_num_bytes = len,
		.num_bytes = len,
	};
}

struct file_extent example_inline(struct span data)
{
	return (struct file_extent){
		.generation = 7,
		.ram_bytes = data.len,
		.type = BTRFS_FILE_EXTENT_INLINE,
		.inline_data = data,
	};
}
