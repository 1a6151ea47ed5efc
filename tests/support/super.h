#pragma once
#include "btrfs/ondisk/super.h"
#include <glib.h>

/* A sound superblock of one device, crc32c, nodes of 16 KiB, for the copy at
 * 64 KiB; its system chunk array maps [1 MiB, 9 MiB) to the same place. */
struct super example_super(void);

/* The bytes of @super, with its checksum. */
void build_super(const struct super *super, uint8_t ret[SUPER_LEN]);
/* Puts the right checksum on bytes that were changed on purpose. */
void super_seal(uint8_t bytes[SUPER_LEN]);

/* The DEV_ITEM of the device that @super is on. */
void put_dev_item(GByteArray *to, const struct super *super);
