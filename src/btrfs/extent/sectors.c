#include "btrfs/extent/sectors.h"

struct sectors {
	Volume *volume;
	const struct sum_format *format;
	const struct sector_sums *sums;
	uint64_t logical;
	uint8_t *buffer;
	unsigned n_copies;
	/* The first sector that needed another copy, and how many did. */
	uint64_t mended_logical;
	unsigned good_copy;
	uint32_t n_mended;
};

static uint8_t *sector_at(const struct sectors *sectors, uint32_t i)
{
	return sectors->buffer + (size_t)i * sectors->format->sector_size;
}

static uint64_t sector_logical(const struct sectors *sectors, uint32_t i)
{
	return sectors->logical + (uint64_t)i * sectors->format->sector_size;
}

static void note_mended(struct sectors *sectors, uint32_t i, unsigned good_copy)
{
	if (sectors->n_mended++ > 0)
		return;
	sectors->mended_logical = sector_logical(sectors, i);
	sectors->good_copy = good_copy;
}

/* A wrong checksum tells more than a device that does not answer. */
static int worse(int a, int b)
{
	if (a == -ENOMEM || b == -ENOMEM)
		return -ENOMEM;
	if (a == -EBADMSG || b == -EBADMSG)
		return -EBADMSG;
	return b == -ENOENT ? -ENOENT : -EIO;
}

static int read_sector(struct sectors *sectors, uint32_t i, unsigned copy)
{
	int r = volume_read(sectors->volume, sector_logical(sectors, i), copy,
			    sector_at(sectors, i), sectors->format->sector_size);

	if (r == 0 && !csum_matches(sectors->sums, sectors->format, i, sector_at(sectors, i)))
		return -EBADMSG;
	return r;
}

/* Sector @i, whose copy 0 gave @first_error in the one large read.  If that
 * read failed as a whole, this sector alone may still be readable there. */
static int mend_sector(struct sectors *sectors, uint32_t i, int first_error)
{
	int error = first_error;

	for (unsigned copy = first_error == -EBADMSG ? 1 : 0; copy < sectors->n_copies; copy++) {
		const int r = read_sector(sectors, i, copy);

		if (r == 0) {
			if (copy > 0)
				note_mended(sectors, i, copy);
			return 0;
		}
		error = worse(error, r);
	}
	return worse(error, error);
}

static int read_all(struct sectors *sectors)
{
	const struct sum_format *format = sectors->format;
	const size_t len = (size_t)sectors->sums->n * format->sector_size;
	const int read = volume_read(sectors->volume, sectors->logical, 0, sectors->buffer, len);

	if (read == -ENOMEM)
		return read;
	for (uint32_t i = 0; i < sectors->sums->n; i++) {
		int r = read;

		if (r == 0 && !csum_matches(sectors->sums, format, i, sector_at(sectors, i)))
			r = -EBADMSG;
		if (r != 0)
			r = mend_sector(sectors, i, r);
		if (r != 0)
			return r;
	}
	return 0;
}

static void tell_mended(const struct sectors *sectors, Log *log)
{
	g_autofree char *bad = NULL, *good = NULL;

	if (sectors->n_mended == 0)
		return;
	bad = volume_describe(sectors->volume, sectors->mended_logical, 0);
	good = volume_describe(sectors->volume, sectors->mended_logical, sectors->good_copy);
	log_line(log, LOG_LEVEL_WARNING,
		 "data at logical %" G_GUINT64_FORMAT " is bad on %s, taken from %s (%u such "
		 "sectors in %u)",
		 sectors->mended_logical, bad, good, sectors->n_mended, sectors->sums->n);
}

int sectors_read(Volume *volume, Log *log, const struct sum_format *format, uint64_t logical,
		 const struct sector_sums *sums, uint8_t *buffer)
{
	struct sectors sectors = {
		.volume = volume,
		.format = format,
		.sums = sums,
		.logical = logical,
		.buffer = buffer,
		.n_copies = volume_copies(volume, logical),
	};
	int r;

	if (sectors.n_copies == 0)
		return -ENOENT;
	r = read_all(&sectors);
	if (r == 0)
		tell_mended(&sectors, log);
	return r;
}
