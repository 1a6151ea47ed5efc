#pragma once
#include <stdint.h>

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
