#pragma once
#include "base/span.h"

/* As on disk, in extent items (linux/btrfs_tree.h does not have them). */
enum {
	BTRFS_COMPRESS_NONE = 0,
	BTRFS_COMPRESS_ZLIB = 1,
	BTRFS_COMPRESS_LZO = 2,
	BTRFS_COMPRESS_ZSTD = 3,
};

/*
 * Decompresses @in, the stored bytes of a compressed extent (@type
 * BTRFS_COMPRESS_* as on disk; @in may have padding behind it; lzo in btrfs's
 * own framing with @sector_size, a power of two) into @out.  An extent that
 * holds fewer than @out_len bytes is padded with zeros; of one that holds more
 * the beginning is given.  BTRFS_COMPRESS_NONE copies.  @out may be written to
 * by a call that fails.
 *   -EUCLEAN      the bytes are damaged
 *   -EOPNOTSUPP   a type that is not known
 *   -ENOMEM
 * Any thread.
 */
int decompress(uint8_t type, struct span in, uint32_t sector_size, void *out, size_t out_len);
