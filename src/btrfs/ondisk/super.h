#pragma once
#include "base/span.h"
#include "btrfs/ondisk/key.h"
#include <glib.h>
#include <stdbool.h>

/*
 * The superblock: 4,096 bytes at 64 KiB, 64 MiB and 256 GiB of each device.
 * Source: kernel include/uapi/linux/btrfs_tree.h, struct btrfs_super_block.
 */
#define SUPER_LEN 4096u
#define SUPER_COPIES 3u
#define SUPER_LABEL_LEN 256u
#define SUPER_SYS_CHUNKS_MOST 2048u

/* The domain of super_parse()'s errors; their code is the positive errno. */
#define SUPER_ERROR super_error_quark()
GQuark super_error_quark(void);

/* Bytes from the start of a device; @copy < SUPER_COPIES. */
uint64_t super_offset(unsigned copy);

struct super_root {
	uint64_t logical, generation;
	uint8_t level;
};

struct super {
	uint8_t fsid[16];
	uint8_t metadata_uuid[16]; /* equals fsid without that feature */
	uint64_t bytenr, generation;
	struct super_root root, chunk_root, log_root; /* log_root.logical 0: none */
	uint64_t total_bytes, bytes_used, num_devices;
	uint32_t sector_size, node_size;
	uint64_t compat_flags, compat_ro_flags, incompat_flags;
	uint16_t csum_type;
	uint64_t devid; /* of the device the superblock was read from */
	uint8_t dev_uuid[16];
	bool seeding; /* read-only for good, for other file systems to grow from */
	char label[SUPER_LABEL_LEN + 1];
	uint32_t sys_chunks_len;
	uint8_t sys_chunks[SUPER_SYS_CHUNKS_MOST]; /* key, chunk item, key, ... */
};

/*
 * Parses and checks one copy.  @bytes: SUPER_LEN bytes; @expected_offset:
 * where it was read.
 *   -ENOENT       no btrfs: the magic is not there
 *   -EBADMSG      wrong checksum
 *   -EUCLEAN      right checksum, impossible values
 *   -EOPNOTSUPP   a feature, sector size or checksum that is not supported
 * @error, with FS independent text, names what is wrong.
 * The log root is given as it is, unchecked: nothing reads the log. */
int super_parse(struct span bytes, uint64_t expected_offset, struct super *ret, GError **error);
