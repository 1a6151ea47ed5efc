#include "btrfs/ondisk/items.h"
#include "btrfs/codec/checksum.h"
#include "btrfs/codec/decompress.h"
#include <glib.h>
#include <sys/stat.h>

#define NAME_MOST 255u /* bytes, of files and of xattrs */
#define LEVELS 8u
#define INLINE_MOST 65536u /* bytes of a file that can be in its item: a sector */

static struct disk_time cursor_time(struct cursor *c)
{
	struct disk_time time;

	time.seconds = cursor_le64(c);
	time.nanoseconds = cursor_le32(c);
	return time;
}

static struct key cursor_key(struct cursor *c)
{
	struct key key;

	key.objectid = cursor_le64(c);
	key.type = cursor_u8(c);
	key.offset = cursor_le64(c);
	return key;
}

static bool name_valid(struct span name)
{
	return name.len > 0 && name.len <= NAME_MOST;
}

static bool mode_valid(uint32_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFREG:
	case S_IFDIR:
	case S_IFLNK:
	case S_IFCHR:
	case S_IFBLK:
	case S_IFIFO:
	case S_IFSOCK:
		return true;
	default:
		return false;
	}
}

int inode_item_parse(struct span item, struct inode_item *ret)
{
	struct cursor c = cursor_of(item);
	struct inode_item inode;

	if (item.len != sizeof(struct btrfs_inode_item))
		return -EUCLEAN;
	inode.generation = cursor_le64(&c);
	inode.transid = cursor_le64(&c);
	inode.size = cursor_le64(&c);
	inode.nbytes = cursor_le64(&c);
	cursor_skip(&c, 8); /* block group */
	inode.nlink = cursor_le32(&c);
	inode.uid = cursor_le32(&c);
	inode.gid = cursor_le32(&c);
	inode.mode = cursor_le32(&c);
	inode.rdev = cursor_le64(&c);
	inode.flags = cursor_le64(&c);
	cursor_skip(&c, 8 + 4 * 8); /* sequence, reserved */
	inode.atime = cursor_time(&c);
	inode.ctime = cursor_time(&c);
	inode.mtime = cursor_time(&c);
	inode.otime = cursor_time(&c);
	if (c.error || !mode_valid(inode.mode))
		return -EUCLEAN;
	*ret = inode;
	return 0;
}

int dev_item_parse(struct span item, struct dev_item *ret)
{
	struct cursor c = cursor_of(item);
	struct dev_item dev;

	dev.devid = cursor_le64(&c);
	cursor_skip(&c, offsetof(struct btrfs_dev_item, uuid) - 8);
	cursor_copy(&c, dev.uuid, sizeof(dev.uuid));
	cursor_copy(&c, dev.fsid, sizeof(dev.fsid));
	if (c.error || c.left > 0)
		return -EUCLEAN;
	*ret = dev;
	return 0;
}

int inode_ref_next(struct cursor *item, struct inode_ref *ret)
{
	struct inode_ref ref;
	uint16_t name_len;

	ref.index = cursor_le64(item);
	name_len = cursor_le16(item);
	ref.name = cursor_bytes(item, name_len);
	if (item->error || !name_valid(ref.name))
		return -EUCLEAN;
	*ret = ref;
	return 0;
}

int inode_extref_next(struct cursor *item, struct inode_extref *ret)
{
	struct inode_extref ref;
	uint16_t name_len;

	ref.parent = cursor_le64(item);
	ref.index = cursor_le64(item);
	name_len = cursor_le16(item);
	ref.name = cursor_bytes(item, name_len);
	if (item->error || !name_valid(ref.name))
		return -EUCLEAN;
	*ret = ref;
	return 0;
}

int dir_entry_next(struct cursor *item, struct dir_entry *ret)
{
	struct dir_entry entry;
	uint16_t data_len, name_len;

	entry.location = cursor_key(item);
	entry.transid = cursor_le64(item);
	data_len = cursor_le16(item);
	name_len = cursor_le16(item);
	entry.type = cursor_u8(item);
	entry.name = cursor_bytes(item, name_len);
	entry.data = cursor_bytes(item, data_len);
	if (item->error || !name_valid(entry.name) || entry.type >= BTRFS_FT_MAX)
		return -EUCLEAN;
	if (entry.data.len > 0 && entry.type != BTRFS_FT_XATTR)
		return -EUCLEAN;
	*ret = entry;
	return 0;
}

uint32_t name_hash(struct span name)
{
	return crc32c_bare(0xfffffffe, name.data, name.len);
}

static bool inline_valid(const struct file_extent *extent)
{
	if (extent->ram_bytes > INLINE_MOST)
		return false;
	return extent->compression != BTRFS_COMPRESS_NONE ||
	       extent->ram_bytes == extent->inline_data.len;
}

/* What follows the part that inline items have too. */
static bool parse_extent_place(struct cursor *c, struct file_extent *extent)
{
	uint64_t end;

	extent->disk_bytenr = cursor_le64(c);
	extent->disk_num_bytes = cursor_le64(c);
	extent->offset = cursor_le64(c);
	extent->num_bytes = cursor_le64(c);
	if (c->error || c->left > 0)
		return false;
	return !__builtin_add_overflow(extent->disk_bytenr, extent->disk_num_bytes, &end) &&
	       !__builtin_add_overflow(extent->offset, extent->num_bytes, &end);
}

int file_extent_parse(struct span item, struct file_extent *ret)
{
	struct cursor c = cursor_of(item);
	struct file_extent extent = { 0 };
	uint8_t encryption;
	uint16_t other_encoding;
	bool valid;

	extent.generation = cursor_le64(&c);
	extent.ram_bytes = cursor_le64(&c);
	extent.compression = cursor_u8(&c);
	encryption = cursor_u8(&c);
	other_encoding = cursor_le16(&c);
	extent.type = cursor_u8(&c);
	if (c.error || encryption || other_encoding || extent.compression > BTRFS_COMPRESS_ZSTD)
		return -EUCLEAN;
	switch (extent.type) {
	case BTRFS_FILE_EXTENT_INLINE:
		extent.inline_data = cursor_bytes(&c, c.left);
		valid = inline_valid(&extent);
		break;
	case BTRFS_FILE_EXTENT_REG:
	case BTRFS_FILE_EXTENT_PREALLOC:
		valid = parse_extent_place(&c, &extent);
		break;
	default:
		valid = false;
	}
	if (!valid)
		return -EUCLEAN;
	*ret = extent;
	return 0;
}

/* The fields that came with Linux 3.6.  An older kernel that writes the item
 * does not know generation_v2; then the fields are stale and count for
 * nothing. */
static void parse_root_uuids(struct cursor *c, struct root_item *root)
{
	if (cursor_le64(c) != root->generation)
		return;
	cursor_copy(c, root->uuid, sizeof(root->uuid));
	cursor_copy(c, root->parent_uuid, sizeof(root->parent_uuid));
	cursor_copy(c, root->received_uuid, sizeof(root->received_uuid));
	root->ctransid = cursor_le64(c);
	root->otransid = cursor_le64(c);
	root->stransid = cursor_le64(c);
	root->rtransid = cursor_le64(c);
	root->ctime = cursor_time(c);
	root->otime = cursor_time(c);
	root->stime = cursor_time(c);
	root->rtime = cursor_time(c);
}

int root_item_parse(struct span item, struct root_item *ret)
{
	const size_t old_len = offsetof(struct btrfs_root_item, generation_v2);
	struct cursor c = cursor_of(item);
	struct root_item root = { 0 };

	if (item.len != old_len && item.len != sizeof(struct btrfs_root_item))
		return -EUCLEAN;
	cursor_skip(&c, sizeof(struct btrfs_inode_item));
	root.generation = cursor_le64(&c);
	root.dirid = cursor_le64(&c);
	root.bytenr = cursor_le64(&c);
	cursor_skip(&c, 3 * 8); /* byte limit, bytes used, last snapshot */
	root.flags = cursor_le64(&c);
	root.refs = cursor_le32(&c);
	cursor_skip(&c, 17 + 1); /* drop progress and its level */
	root.level = cursor_u8(&c);
	if (c.left > 0)
		parse_root_uuids(&c, &root);
	if (c.error || root.level >= LEVELS)
		return -EUCLEAN;
	*ret = root;
	return 0;
}

int root_ref_parse(struct span item, struct root_ref *ret)
{
	struct cursor c = cursor_of(item);
	struct root_ref ref;
	uint16_t name_len;

	ref.dirid = cursor_le64(&c);
	ref.sequence = cursor_le64(&c);
	name_len = cursor_le16(&c);
	ref.name = cursor_bytes(&c, name_len);
	if (c.error || c.left > 0 || !name_valid(ref.name))
		return -EUCLEAN;
	*ret = ref;
	return 0;
}
