#pragma once
#include "btrfs/extent/csum.h"
#include "btrfs/volume/volume.h"

/* Sectors, one behind the other, of which the first copy was no good and another
 * one was. */
struct mended_run {
	uint64_t logical;
	uint32_t n;
	unsigned good_copy; /* its number */
	char *findings;	    /* which copies were no good, and why */
};

/* All of one read; of a stripe each. */
struct mended {
	GArray *runs; /* struct mended_run; NULL: none */
};

typedef struct mended Mended;
void mended_clear(struct mended *mended);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Mended, mended_clear)

/*
 * Reads sums->n sectors from @logical on into @buffer.  Each sector is held
 * against its checksum; one that fails is taken from another copy or rebuilt,
 * and noted in *ret_mended, which is to be cleared in any case.  A sector
 * without a checksum is taken as read.
 *   -ENOENT    no chunk covers the range
 *   -EIO       no copy of some sector can be read
 *   -EBADMSG   no copy of some sector matches its checksum
 *   -ENOMEM
 * @buffer is then in an undefined state, and the cause (base/cause.h) names the
 * sector and what was tried.  Any thread.
 */
int sectors_read(Volume *volume, const struct sum_format *format, uint64_t logical,
		 const struct sector_sums *sums, uint8_t *buffer, struct mended *ret_mended);
