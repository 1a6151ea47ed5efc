#pragma once
#include "btrfs/ondisk/super.h"
#include "btrfs/volume/byte_source.h"

/*
 * The newest valid one of a device's superblock copies.  A copy that belongs
 * to another file system than the first valid one is a relic and is ignored.
 *
 * *ret_bad: how many copies that fit on the device were no good.  Without a
 * valid one the cause is what the first copy's failure was (super_parse(), or
 * -EIO), and *error says it without naming the device.
 */
int super_scan(ByteSource *source, struct super *ret, unsigned *ret_bad, GError **error);
