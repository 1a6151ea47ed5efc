#include "btrfs/extent/sectors.h"
#include "base/cause.h"

/* Stripes begin at multiples of this, for all that matters here. */
#define STRIPE_LEN ((uint64_t)64 * 1024)

struct sectors {
	Volume *volume;
	const struct sum_format *format;
	const struct sector_sums *sums;
	uint64_t logical;
	uint8_t *buffer;
	struct mended *mended;
};

static uint8_t *sector_at(const struct sectors *sectors, uint32_t i)
{
	return sectors->buffer + (size_t)i * sectors->format->sector_size;
}

static uint64_t sector_logical(const struct sectors *sectors, uint32_t i)
{
	return sectors->logical + (uint64_t)i * sectors->format->sector_size;
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

static const char *fault(int error)
{
	return error == -EBADMSG ? "wrong checksum" :
	       error == -ENODEV	 ? "missing" :
				   "cannot be read";
}

static void note_finding(const struct sectors *sectors, uint32_t i, unsigned copy, int error,
			 GString *findings)
{
	g_autofree char *place =
		volume_describe(sectors->volume, sector_logical(sectors, i), copy);

	g_string_append_printf(findings, "%s%s: %s", findings->len ? "; " : "", place,
			       fault(error));
}

static void run_clear(void *user)
{
	struct mended_run *run = user;

	g_free(run->findings);
}

static void note_mended(const struct sectors *sectors, uint32_t i, unsigned good_copy,
			const GString *findings)
{
	const uint64_t logical = sector_logical(sectors, i);
	const uint32_t len = sectors->format->sector_size;
	struct mended *mended = sectors->mended;
	struct mended_run run = { .logical = logical, .n = 1, .good_copy = good_copy };
	struct mended_run *last;

	if (!mended->runs) {
		mended->runs = g_array_new(FALSE, FALSE, sizeof(struct mended_run));
		g_array_set_clear_func(mended->runs, run_clear);
	}
	if (mended->runs->len > 0 && logical % STRIPE_LEN != 0) {
		last = &g_array_index(mended->runs, struct mended_run, mended->runs->len - 1);
		if (last->logical + (uint64_t)last->n * len == logical &&
		    last->good_copy == good_copy) {
			last->n++;
			return;
		}
	}
	run.findings = g_strdup(findings->str);
	g_array_append_val(mended->runs, run);
}

/* Sector @i, whose copy 0 gave @first_error in the one large read.  If that
 * read failed as a whole, this sector alone may still be readable there. */
static int mend_sector(struct sectors *sectors, uint32_t i, int first_error)
{
	const unsigned n_copies = volume_copies(sectors->volume, sector_logical(sectors, i));
	const unsigned first = first_error == -EBADMSG ? 1 : 0;
	g_autoptr(GString) findings = g_string_new(NULL);
	int error = first_error;

	if (first == 1)
		note_finding(sectors, i, 0, first_error, findings);
	for (unsigned copy = first; copy < n_copies; copy++) {
		const int r = read_sector(sectors, i, copy);

		if (r == 0 && copy > 0)
			note_mended(sectors, i, copy, findings);
		if (r == 0 || r == -ENOMEM)
			return r;
		note_finding(sectors, i, copy, r, findings);
		error = worse(error, r);
	}
	cause_set("data at logical %" G_GUINT64_FORMAT " (%s)", sector_logical(sectors, i),
		  findings->str);
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

void mended_clear(struct mended *mended)
{
	g_clear_pointer(&mended->runs, g_array_unref);
}

int sectors_read(Volume *volume, const struct sum_format *format, uint64_t logical,
		 const struct sector_sums *sums, uint8_t *buffer, struct mended *ret_mended)
{
	struct sectors sectors = {
		.volume = volume,
		.format = format,
		.sums = sums,
		.logical = logical,
		.buffer = buffer,
		.mended = ret_mended,
	};

	mended_clear(ret_mended);
	if (volume_copies(volume, logical) == 0) {
		cause_set("data at logical %" G_GUINT64_FORMAT " (no chunk covers it)", logical);
		return -ENOENT;
	}
	return read_all(&sectors);
}
