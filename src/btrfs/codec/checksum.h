#pragma once
#include "base/span.h"

/* The checksums of btrfs metadata and data (linux/btrfs_tree.h,
 * BTRFS_CSUM_TYPE_*): crc32c, xxhash64, sha256, blake2b-256.  Any thread. */
#define CHECKSUM_MAX_LEN 32u

/* Bytes of a checksum as stored; 0: a type that is not known. */
unsigned checksum_len(uint16_t type);
/* For messages; NULL: not known. */
const char *checksum_name(uint16_t type);

/* The checksum as stored on disk, checksum_len() bytes.  @type must be known. */
void checksum_compute(uint16_t type, const void *data, size_t len,
		      uint8_t ret[CHECKSUM_MAX_LEN]);

/* Bare CRC-32C: the register begins as @crc and is not inverted at the end. */
uint32_t crc32c_bare(uint32_t crc, const void *data, size_t len);
