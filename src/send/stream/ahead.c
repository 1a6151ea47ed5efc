#include "send/stream/internal.h"

/* What is made ahead of one reader, and how far reads may be out of order
 * and still be one reader's: the kernel sends several at a time. */
#define AHEAD_CHUNKS 3u
#define PLACE_SLACK ((uint64_t)2 * PLAN_CHUNK_MOST)

struct ahead_job {
	Stream *stream; /* a reference */
	enum stream_variant variant;
	struct plan_chunk chunk;
};

static void end_job(void *user)
{
	struct ahead_job *job = user;
	StreamRegistry *registry = job->stream->registry;

	stream_unref(job->stream);
	registry_busy_end(registry);
	g_free(job);
}

static void run_job(void *user)
{
	const struct ahead_job *job = user;
	g_autoptr(Blob) blob = NULL;

	if (!atomic_load(&job->stream->registry->closing))
		stream_chunk(job->stream, job->variant, &job->chunk, &blob);
	end_job(user);
}

static bool offer(Stream *stream, Workers *workers, enum stream_variant variant,
		  const struct plan_chunk *chunk)
{
	struct ahead_job *job = g_new0(struct ahead_job, 1);

	job->stream = stream_ref(stream);
	job->variant = variant;
	job->chunk = *chunk;
	registry_busy_begin(stream->registry);
	if (workers_offer(workers, run_job, end_job, job))
		return true;
	end_job(job);
	return false;
}

static bool is_near(const struct ahead_place *place, uint64_t offset)
{
	return offset + PLACE_SLACK >= place->end && offset <= place->end + PLACE_SLACK;
}

/* The reader that has come to @end, or NULL if it is not known to go forward
 * yet.  Under the stream's lock. */
static struct ahead_place *find_place(Stream *stream, enum stream_variant variant, uint64_t offset,
				      uint64_t end)
{
	struct ahead_place *place;

	for (unsigned i = 0; i < AHEAD_PLACES; i++) {
		place = &stream->places[i];
		if (place->end > 0 && place->variant == variant && is_near(place, offset)) {
			place->end = MAX(place->end, end);
			return place;
		}
	}
	place = &stream->places[stream->next_place++ % AHEAD_PLACES];
	*place = (struct ahead_place){ .variant = variant, .end = end, .ahead = end };
	return offset == 0 ? place : NULL;
}

/* The part of the stream that is to be made now; false: nothing. */
static bool take_window(Stream *stream, enum stream_variant variant, uint64_t offset, uint64_t end,
			uint64_t *ret_from, uint64_t *ret_to)
{
	const uint64_t most = MIN((uint64_t)AHEAD_CHUNKS * PLAN_CHUNK_MOST,
				  stream->registry->cache_bytes / 4);
	LOCK_SCOPE(&stream->lock);
	struct ahead_place *place = find_place(stream, variant, offset, end);
	uint64_t from, to;

	if (!place)
		return false;
	from = MAX(place->ahead, place->end);
	to = MIN(place->end + most, plan_stream_size(stream->plan, variant));
	if (from >= to)
		return false;
	place->ahead = to;
	*ret_from = from;
	*ret_to = to;
	return true;
}

void stream_ahead(Stream *stream, enum stream_variant variant, uint64_t offset, uint64_t end)
{
	Workers *workers = fs_workers(stream->registry->fs);
	uint64_t from, to;

	if (!workers || !take_window(stream, variant, offset, end, &from, &to))
		return;
	while (from < to) {
		struct plan_chunk chunk;

		if (plan_chunk_at(stream->plan, variant, from, &chunk) || chunk.len == 0)
			return;
		/* One that begins before has been offered, or is being read. */
		if (chunk.offset == from && !offer(stream, workers, variant, &chunk))
			return;
		from = chunk.offset + chunk.len;
	}
}
