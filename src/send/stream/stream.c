#include "base/error.h"
#include "send/stream/internal.h"
#include <errno.h>
#include <time.h>

#define POLL_MS 50

static struct timespec deadline_after_ms(long ms)
{
	struct timespec when;

	clock_gettime(CLOCK_MONOTONIC, &when);
	when.tv_nsec += ms * 1000000;
	when.tv_sec += when.tv_nsec / 1000000000;
	when.tv_nsec %= 1000000000;
	return when;
}

/* Waits a while for the planning to end; true when it has. */
static bool wait_a_while(Stream *stream, int *ret_result)
{
	const struct timespec deadline = deadline_after_ms(POLL_MS);
	LOCK_SCOPE(&stream->lock);
	int waited = 0;

	while (stream->state == STREAM_PLANNING && waited != ETIMEDOUT)
		waited = pthread_cond_timedwait(&stream->changed, &stream->lock, &deadline);
	*ret_result = stream->error;
	return stream->state != STREAM_PLANNING;
}

int stream_wait(Stream *stream, enum stream_variant variant, stream_interrupted_fn interrupted,
		void *user)
{
	int result;

	while (!wait_a_while(stream, &result)) {
		if (interrupted && interrupted(user))
			return -EINTR;
	}
	return result ? result : plan_error(stream->plan, variant);
}

uint64_t stream_size(const Stream *stream, enum stream_variant variant)
{
	return plan_stream_size(stream->plan, variant);
}

uint64_t stream_digest(const Stream *stream)
{
	return plan_digest(stream->plan);
}

struct plan_totals stream_totals(const Stream *stream, enum stream_variant variant)
{
	return plan_totals(stream->plan, variant);
}

/* What may be seen of an error: the rest has been logged. */
static int read_error(int err)
{
	return err == -ESTALE || err == -ENOMEM ? err : -EIO;
}

/* Of the one chunk that holds @offset, as much as is wanted and good. */
static int read_part(Stream *stream, enum stream_variant variant, uint64_t offset, uint8_t *buffer,
		     size_t len, size_t *ret_len)
{
	g_autoptr(Blob) blob = NULL;
	struct plan_chunk chunk;
	size_t skip;
	int r = plan_chunk_at(stream->plan, variant, offset, &chunk);

	if (r)
		log_line(stream->registry->log, LOG_LEVEL_ERROR,
			 "%s/%s: at %" G_GUINT64_FORMAT ": the plan: %s", stream->name,
			 variant_name(variant), offset, error_text(r));
	else
		r = stream_chunk(stream, variant, &chunk, &blob);
	if (r)
		return r;
	skip = (size_t)(offset - chunk.offset);
	if (skip >= blob->len)
		return blob->error ? blob->error : -EUCLEAN;
	*ret_len = MIN(len, blob->len - skip);
	memcpy(buffer, blob->bytes + skip, *ret_len);
	return 0;
}

int stream_read(Stream *stream, enum stream_variant variant, uint64_t offset, void *buffer,
		size_t len, size_t *ret_len)
{
	const uint64_t size = stream_size(stream, variant);
	size_t done = 0;

	if (offset >= size)
		len = 0;
	len = (size_t)MIN(len, size - MIN(offset, size));
	while (done < len) {
		size_t part;
		const int r = read_part(stream, variant, offset + done, (uint8_t *)buffer + done,
					len - done, &part);

		if (r && done == 0)
			return read_error(r);
		if (r)
			break;
		done += part;
	}
	if (done > 0)
		stream_ahead(stream, variant, offset, offset + done);
	*ret_len = done;
	return 0;
}
