#pragma once
#include "base/span.h"

/*
 * Decompresses @in, the stored bytes of a compressed extent (@type
 * BTRFS_COMPRESS_* as on disk; @in may have padding behind it; lzo in btrfs's
 * own framing with @sector_size) into @out.  An extent that holds fewer than
 * @out_len bytes is padded with zeros.
 *   -EUCLEAN      the bytes are damaged
 *   -EOPNOTSUPP   a type that is not known
 *   -ENOMEM
 * Any thread.
 */
int decompress(uint8_t type, struct span in, uint32_t sector_size, void *out, size_t out_len);
