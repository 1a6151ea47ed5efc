#pragma once
#include "base/span.h"
#include <glib.h>

/* @data as the kernel would store it as a compressed extent of @type, not
 * padded to sectors.  lzo in the framing of btrfs with 4 KiB sectors. */
GByteArray *compress_extent(uint8_t type, struct span data);
