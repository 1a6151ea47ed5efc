#include "send/plan/block.h"
#include "send/plan/internal.h"

struct Plan {
	atomic_uint refs;
	struct plan_variant variants[STREAM_VARIANTS];
	uint64_t digest;
	BlockStore *store;
};

Plan *plan_new(BlockStore *store, const struct plan_variant variants[STREAM_VARIANTS],
	       uint64_t digest)
{
	Plan *plan = g_try_new0(Plan, 1);

	if (!plan)
		return NULL;
	atomic_init(&plan->refs, 1);
	memcpy(plan->variants, variants, sizeof(plan->variants));
	plan->digest = digest;
	plan->store = store;
	return plan;
}

Plan *plan_ref(Plan *plan)
{
	atomic_fetch_add_explicit(&plan->refs, 1, memory_order_relaxed);
	return plan;
}

void plan_unref(Plan *plan)
{
	if (!plan || atomic_fetch_sub_explicit(&plan->refs, 1, memory_order_acq_rel) != 1)
		return;
	block_store_free(plan->store);
	g_free(plan);
}

int plan_error(const Plan *plan, enum stream_variant variant)
{
	return plan->variants[variant].error;
}

uint64_t plan_stream_size(const Plan *plan, enum stream_variant variant)
{
	return block_store_stream_len(plan->store, variant);
}

uint64_t plan_digest(const Plan *plan)
{
	return plan->digest;
}

uint64_t plan_memory(const Plan *plan)
{
	return sizeof(*plan) + block_store_memory(plan->store);
}

struct plan_totals plan_totals(const Plan *plan, enum stream_variant variant)
{
	return plan->variants[variant].totals;
}

/* Where a chunk is: its segment and, in the segment of a long run, the part
 * of the run. */
struct place {
	struct plan_chunk chunk;
	struct span records;
	Blob *blob; /* what @records points into, NULL if that lives with the plan */
	bool is_part;
	struct plan_run part;
};

static void place_clear(struct place *place)
{
	blob_unref(place->blob);
}

/* The part of a long run that holds byte @offset (counted from the run's first
 * command), by arithmetic alone. */
static int find_part(enum stream_variant variant, const struct segment *segment, uint64_t offset,
		     struct place *place)
{
	struct record_reader reader = { .cursor = cursor_of(segment->records) };
	struct plan_run run;
	struct run_shape shape;
	uint64_t i, skipped;

	if (record_next(&reader, &run) != 1 || run.kind != RUN_DATA || reader.cursor.left > 0 ||
	    run_shape(variant, &run, &shape) || shape.type != CMD_WRITE ||
	    shape.stream_len != segment->len)
		return -EUCLEAN;
	i = offset / shape.chunk_len;
	skipped = i * shape.chunk_data;
	run.offset += skipped;
	run.len = MIN(run.len - skipped, shape.chunk_data);
	place->is_part = true;
	place->part = run;
	place->chunk.offset += i * shape.chunk_len;
	place->chunk.len = (uint32_t)MIN(segment->len - i * shape.chunk_len, shape.chunk_len);
	return 0;
}

/* @ret->blob is set only, but also after some errors, if it is to be let go. */
static int find_place(const Plan *plan, enum stream_variant variant, uint64_t offset,
		      struct place *ret)
{
	struct stored_block stored;
	struct block block;
	struct segment segment;
	int r = block_store_get(plan->store, variant, offset, &stored);

	if (r)
		return r;
	ret->blob = stored.blob;
	r = block_open(stored.bytes, &stored.stream_len, &block);
	if (r)
		return r;
	segment = block_find(&block, variant, offset - stored.offset.of[variant]);
	ret->records = segment.records;
	ret->chunk.offset = stored.offset.of[variant] + segment.offset;
	if (segment.len > PLAN_CHUNK_MOST)
		return find_part(variant, &segment, offset - ret->chunk.offset, ret);
	ret->chunk.len = (uint32_t)segment.len;
	return 0;
}

int plan_chunk_at(const Plan *plan, enum stream_variant variant, uint64_t offset,
		  struct plan_chunk *ret)
{
	__attribute__((cleanup(place_clear))) struct place place = { 0 };
	int r = find_place(plan, variant, offset, &place);

	if (r == 0)
		*ret = place.chunk;
	return r;
}

static int visit_records(enum stream_variant variant, const struct place *place,
			 plan_run_fn visit, void *user)
{
	struct record_reader reader = { .cursor = cursor_of(place->records) };
	uint64_t left = place->chunk.len, len;
	struct plan_run run;
	int r;

	while ((r = record_next(&reader, &run)) > 0) {
		if (!(run.variants & VARIANT_BIT(variant)))
			continue;
		r = run_stream_len(variant, &run, &len);
		/* Never more than the chunk's length, whatever the bytes say. */
		if (r == 0 && len > left)
			r = -EUCLEAN;
		if (r == 0)
			r = visit(user, &run);
		if (r)
			return r;
		left -= len;
	}
	return r ? r : left ? -EUCLEAN : 0;
}

int plan_chunk_visit(const Plan *plan, enum stream_variant variant,
		     const struct plan_chunk *chunk, plan_run_fn visit, void *user)
{
	__attribute__((cleanup(place_clear))) struct place place = { 0 };
	int r = find_place(plan, variant, chunk->offset, &place);

	if (r)
		return r == -ERANGE ? -EINVAL : r;
	if (place.chunk.offset != chunk->offset || place.chunk.len != chunk->len)
		return -EINVAL;
	return place.is_part ? visit(user, &place.part) :
			       visit_records(variant, &place, visit, user);
}
