#pragma once
#include "btrfs/ondisk/items.h"

/*
 * Where a range of a file lies: what its extent item says, in a form that
 * can be kept and compared.  A plain value.  The addresses in it are hints:
 * they can move (balance) while the file's contents stay.
 */
enum data_kind {
	DATA_ZERO,   /* an explicit hole, or preallocated: reads as zeros */
	DATA_INLINE, /* the bytes are in the extent item itself */
	DATA_EXTENT, /* regular extent */
};

struct data_place {
	enum data_kind kind;
	uint8_t compression;   /* BTRFS_COMPRESS_* as on disk */
	uint64_t item_offset;  /* offset in the extent item's key: where in the
				  file the item begins, bytes */
	uint64_t ram_bytes;    /* of the whole extent, decompressed */
	uint64_t stored_len;   /* on disk: disk_num_bytes, or an inline item's bytes */
	/* DATA_EXTENT only. */
	uint64_t disk_bytenr;  /* logical address of the extent */
	uint64_t offset;       /* of item_offset inside the decompressed extent */
	uint64_t num_bytes;    /* of the file that the item covers */
};

/* @item_offset: the offset in the item's key. */
static inline struct data_place data_place_of(uint64_t item_offset,
					      const struct file_extent *extent)
{
	struct data_place place = {
		.kind = DATA_EXTENT,
		.compression = extent->compression,
		.item_offset = item_offset,
		.ram_bytes = extent->ram_bytes,
		.stored_len = extent->disk_num_bytes,
		.disk_bytenr = extent->disk_bytenr,
		.offset = extent->offset,
		.num_bytes = extent->num_bytes,
	};

	if (extent->type == BTRFS_FILE_EXTENT_INLINE) {
		place.kind = DATA_INLINE;
		place.stored_len = extent->inline_data.len;
	} else if (extent->type == BTRFS_FILE_EXTENT_PREALLOC || extent->disk_bytenr == 0) {
		place.kind = DATA_ZERO;
	}
	return place;
}

static inline bool data_place_equal(const struct data_place *a, const struct data_place *b)
{
	return a->kind == b->kind && a->compression == b->compression &&
	       a->item_offset == b->item_offset && a->ram_bytes == b->ram_bytes &&
	       a->stored_len == b->stored_len && a->disk_bytenr == b->disk_bytenr &&
	       a->offset == b->offset && a->num_bytes == b->num_bytes;
}
