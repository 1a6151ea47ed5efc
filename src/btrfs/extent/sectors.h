#pragma once
#include "btrfs/extent/csum.h"
#include "btrfs/volume/volume.h"

/*
 * Reads sums->n sectors from @logical on into @buffer.  Each sector is held
 * against its checksum; one that fails is taken from another copy, which is
 * told to @log (may be NULL).  A sector without a checksum is taken as read.
 *   -ENOENT    no chunk covers the range
 *   -EIO       no copy of some sector can be read
 *   -EBADMSG   no copy of some sector matches its checksum
 *   -ENOMEM
 * @buffer is then in an undefined state.  Any thread.
 */
int sectors_read(Volume *volume, Log *log, const struct sum_format *format, uint64_t logical,
		 const struct sector_sums *sums, uint8_t *buffer);
