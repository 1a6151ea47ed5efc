#include "compare/extent_diff.h"

#define PAGE_SIZE 4096u

/* How much of the file an item covers, for comparing: inline items count as
 * whole pages. */
static uint64_t covered(const struct file_extent *extent)
{
	if (extent->type != BTRFS_FILE_EXTENT_INLINE)
		return extent->num_bytes;
	return (extent->ram_bytes + PAGE_SIZE - 1) & ~(uint64_t)(PAGE_SIZE - 1);
}

static bool is_hole(const struct file_extent *extent)
{
	return extent->type == BTRFS_FILE_EXTENT_REG && extent->disk_bytenr == 0;
}

/* Both regular: the same bytes of the same extent at the same file offset? */
static bool same_place(const struct extent_item *a, const struct extent_item *b)
{
	uint64_t a_offset = a->extent.offset;
	uint64_t b_offset = b->extent.offset;

	if (b->offset < a->offset)
		b_offset += a->offset - b->offset;
	else
		a_offset += b->offset - a->offset;
	return a->extent.disk_bytenr == b->extent.disk_bytenr && a_offset == b_offset &&
	       a->extent.generation == b->extent.generation;
}

int extent_unchanged(InodeReader *old, uint64_t ino, const struct extent_item *item)
{
	const uint64_t end = item->offset + item->extent.num_bytes;
	struct extent_item before;
	uint64_t reached;
	int r;

	if (item->extent.type != BTRFS_FILE_EXTENT_REG)
		return 0;
	r = inode_reader_extent_before(old, ino, item->offset, &before);
	if (r == -ENOENT)
		return is_hole(&item->extent);
	if (r)
		return r;
	for (reached = before.offset; reached < end;) {
		if (before.extent.type == BTRFS_FILE_EXTENT_PREALLOC)
			return 0;
		reached = before.offset + covered(&before.extent);
		if (reached <= item->offset)
			return is_hole(&item->extent);
		if (before.extent.type == BTRFS_FILE_EXTENT_INLINE)
			return 0;
		if (!same_place(item, &before))
			return 0;
		r = inode_reader_extent_next(old, ino, &before);
		if (r == -ENOENT)
			break;
		if (r)
			return r;
		if (before.offset != reached)
			return 0;
	}
	return reached >= end;
}

int range_is_hole(InodeReader *old, uint64_t ino, uint64_t start, uint64_t end)
{
	struct extent_item item;
	int r = inode_reader_extent_before(old, ino, start, &item);

	if (r == -ENOENT)
		r = inode_reader_extent_after(old, ino, start, &item);
	for (; r == 0; r = inode_reader_extent_next(old, ino, &item)) {
		if (item.offset >= end)
			return 1;
		if (extent_item_end(&item) <= start)
			continue;
		if (item.extent.type == BTRFS_FILE_EXTENT_INLINE || item.extent.disk_bytenr != 0)
			return 0;
	}
	return r == -ENOENT ? 1 : r;
}
