#include "send/plan/block.h"
#include "send/plan/internal.h"
#include "send/wire/translate.h"
#include <xxhash.h>

/* A block is closed when it has this many bytes; the last command may pass it. */
#define BLOCK_BYTES ((size_t)64 * 1024)

struct PlanBuilder {
	BlockStore *store;
	struct per_variant size; /* of the streams */
	struct plan_variant variants[STREAM_VARIANTS];
	unsigned live; /* the variants that nothing has ended */
	int error;     /* sticks */
	XXH3_state_t *digest; /* plan_digest() */
	unsigned digested_of; /* the variants of the literal bytes that it ends with */

	/* The block in the making. */
	uint8_t *buffer; /* records */
	size_t used;
	uint8_t *table;
	uint32_t n_segments;
	struct per_variant begin; /* in the streams */

	/* Its last segment. */
	size_t segment_at;		/* in the buffer */
	struct per_variant segment_len; /* bytes of the streams */
	unsigned literal_of;		/* the variants of the open literal, 0: none is open */
	size_t literal_at;		/* its head in the buffer */
	struct record_before before;
};

static void size_add(PlanBuilder *b, const struct per_variant *len)
{
	for (unsigned i = 0; i < STREAM_VARIANTS; i++) {
		b->size.of[i] += len->of[i];
		b->segment_len.of[i] += len->of[i];
	}
}

/* Wherever the literal is cut: that may depend on addresses. */
static void digest_literal(PlanBuilder *b, unsigned variants, struct span bytes)
{
	if (variants != b->digested_of)
		XXH3_64bits_update(b->digest, &variants, sizeof(variants));
	b->digested_of = variants;
	XXH3_64bits_update(b->digest, bytes.data, bytes.len);
}

static void literal_close(PlanBuilder *b)
{
	const size_t body = b->literal_at + RECORD_LITERAL_HEAD;

	if (!b->literal_of)
		return;
	record_put_literal_head(b->buffer + b->literal_at, b->literal_of,
				(uint32_t)(b->used - body));
	digest_literal(b, b->literal_of, span_of(b->buffer + body, b->used - body));
	b->literal_of = 0;
}

static void digest_run(PlanBuilder *b, const struct plan_run *run)
{
	const struct data_place *place = &run->place;
	const uint64_t numbers[] = {
		run->variants,	    run->path.len,	run->offset,	   run->len,
		place->kind,	    place->compression, place->item_offset, place->ram_bytes,
		place->stored_len,  place->offset,	place->num_bytes,
	};

	XXH3_64bits_update(b->digest, numbers, sizeof(numbers));
	XXH3_64bits_update(b->digest, run->path.data, run->path.len);
	b->digested_of = 0;
}

static void segment_begin(PlanBuilder *b)
{
	struct per_variant offset = b->size;

	for (unsigned i = 0; i < STREAM_VARIANTS; i++)
		offset.of[i] -= b->begin.of[i];
	literal_close(b);
	block_put_table_entry(b->table + (size_t)b->n_segments * BLOCK_TABLE_ENTRY, &offset,
			      (uint32_t)b->used);
	b->n_segments++;
	b->segment_at = b->used;
	b->segment_len = (struct per_variant){ 0 };
	b->before = (struct record_before){ 0 };
}

static size_t table_len(const PlanBuilder *b)
{
	return (size_t)b->n_segments * BLOCK_TABLE_ENTRY;
}

static int block_close(PlanBuilder *b)
{
	struct per_variant stream_len = b->size;
	size_t len;

	literal_close(b);
	for (unsigned i = 0; i < STREAM_VARIANTS; i++)
		stream_len.of[i] -= b->begin.of[i];
	memcpy(b->buffer + b->used, b->table, table_len(b));
	len = b->used + table_len(b);
	store_le32(b->buffer + len, b->n_segments);
	len += BLOCK_TAIL;
	b->error = block_store_append(b->store, span_of(b->buffer, len), &stream_len);
	b->begin = b->size;
	b->used = 0;
	b->n_segments = 0;
	return b->error;
}

/* Makes room in the block for any command. */
static int make_room(PlanBuilder *b)
{
	return b->used + table_len(b) >= BLOCK_BYTES ? block_close(b) : 0;
}

/* Whether a command of @len bytes must begin a segment. */
static bool needs_segment(const PlanBuilder *b, const struct per_variant *len)
{
	if (b->n_segments == 0)
		return true;
	if (b->used == b->segment_at)
		return false;
	for (unsigned i = 0; i < STREAM_VARIANTS; i++)
		if (b->segment_len.of[i] > PLAN_CHUNK_MOST ||
		    len->of[i] > PLAN_CHUNK_MOST - b->segment_len.of[i])
			return true;
	return false;
}

static int end_variant(PlanBuilder *b, unsigned variant, int error)
{
	b->live &= ~VARIANT_BIT(variant);
	b->variants[variant].error = error;
	return b->live ? 0 : error;
}

/* Takes out the variants in which a command of @len bytes does not fit. */
static int end_too_long(PlanBuilder *b, unsigned variants, const struct per_variant *len)
{
	int r = 0;

	for (unsigned i = 0; r == 0 && i < STREAM_VARIANTS; i++)
		if ((variants & VARIANT_BIT(i)) &&
		    len->of[i] > (uint64_t)INT64_MAX - b->size.of[i])
			r = end_variant(b, i, -EOVERFLOW);
	return r;
}

/* The lengths of a command of @len bytes in protocol 2, in @variants. */
static struct per_variant literal_lens(unsigned variants, const struct command *command, size_t len)
{
	const size_t len_1 = command->type == CMD_UTIMES ? utimes_len_in_protocol_1(len) : len;
	struct per_variant lens = { 0 };

	for (unsigned i = 0; i < STREAM_VARIANTS; i++)
		if (variants & VARIANT_BIT(i))
			lens.of[i] = VARIANTS_PROTOCOL_2 & VARIANT_BIT(i) ? len : len_1;
	return lens;
}

static void count_literal(PlanBuilder *b, const struct command *command,
			  const struct per_variant *lens)
{
	for (unsigned i = 0; i < STREAM_VARIANTS; i++) {
		struct plan_totals *totals = &b->variants[i].totals;

		if (lens->of[i] == 0)
			continue;
		totals->literal_bytes += lens->of[i];
		totals->commands[command->type]++;
		if (command->type == CMD_CLONE)
			totals->cloned_bytes += command->clone.len;
	}
}

/* The command's @len bytes stand where the open literal, if it is of the same
 * variants, goes on; otherwise where a new one's would begin. */
static void keep_literal(PlanBuilder *b, unsigned variants, size_t len,
			 const struct per_variant *lens)
{
	bool goes_on = b->literal_of == variants;

	if (needs_segment(b, lens)) {
		if (goes_on)
			memmove(b->buffer + b->used + RECORD_LITERAL_HEAD, b->buffer + b->used,
				len);
		segment_begin(b);
		goes_on = false;
	}
	if (!goes_on) {
		literal_close(b);
		b->literal_of = variants;
		b->literal_at = b->used;
		b->used += RECORD_LITERAL_HEAD;
	}
	b->used += len;
}

static int put_literal(PlanBuilder *b, unsigned variants, const struct command *command)
{
	struct per_variant lens;
	size_t len = 0, head;
	int r = make_room(b);

	if (r)
		return r;
	head = b->literal_of == variants ? 0 : RECORD_LITERAL_HEAD;
	r = command_encode_at(STREAM_PROTOCOL_2, command, b->buffer + b->used + head, &len);
	if (r)
		return r;
	lens = literal_lens(variants, command, len);
	r = end_too_long(b, variants, &lens);
	for (unsigned i = 0; r == 0 && i < STREAM_VARIANTS; i++)
		if (lens.of[i] > command_len_max(variant_protocol(i)))
			r = end_variant(b, i, -EOVERFLOW);
	if (r)
		return r;
	keep_literal(b, variants, len, &lens);
	size_add(b, &lens);
	count_literal(b, command, &lens);
	return 0;
}

static void count_run(PlanBuilder *b, unsigned variant, const struct run_shape *shape)
{
	struct plan_totals *totals = &b->variants[variant].totals;

	if (shape->type == CMD_UPDATE_EXTENT)
		totals->literal_bytes += shape->stream_len;
	else
		totals->data_bytes += shape->stream_len;
	totals->file_bytes += shape->data_len;
	totals->commands[shape->type] += shape->n_commands;
}

static int put_run(PlanBuilder *b, const struct plan_run *run)
{
	struct run_shape shapes[STREAM_VARIANTS];
	struct per_variant lens = { 0 };
	uint64_t end;
	int r = 0;

	if (run->path.len > COMMAND_PATH_MAX)
		return -ENAMETOOLONG;
	if (__builtin_add_overflow(run->offset, run->len, &end))
		return -EOVERFLOW;
	for (unsigned i = 0; r == 0 && i < STREAM_VARIANTS; i++) {
		if (!(run->variants & VARIANT_BIT(i)))
			continue;
		if (run_shape(i, run, &shapes[i]))
			r = end_variant(b, i, -EOVERFLOW);
		else
			lens.of[i] = shapes[i].stream_len;
	}
	if (r == 0)
		r = end_too_long(b, run->variants, &lens);
	if (r == 0)
		r = make_room(b);
	if (r)
		return r;
	for (unsigned i = 0; i < STREAM_VARIANTS; i++) {
		if (!(b->live & VARIANT_BIT(i)))
			lens.of[i] = 0;
		if (lens.of[i])
			count_run(b, i, &shapes[i]);
	}
	if (needs_segment(b, &lens))
		segment_begin(b);
	literal_close(b);
	digest_run(b, run);
	b->used += record_put_data(b->buffer + b->used, run, &b->before);
	size_add(b, &lens);
	return 0;
}

/* Nothing to write is an UPDATE_EXTENT all the same: docs/stream.md, section 11. */
static int put_empty(PlanBuilder *b, unsigned variants, const struct command *command)
{
	struct command update = *command;

	update.type = CMD_UPDATE_EXTENT;
	variants &= VARIANT_BIT(STREAM_NODATA);
	return variants ? put_literal(b, variants, &update) : 0;
}

static int put_write(PlanBuilder *b, unsigned variants, const struct command *command)
{
	const struct plan_run run = {
		.kind = RUN_DATA,
		.variants = variants,
		.path = command->path,
		.ino = command->write.ino,
		.offset = command->write.offset,
		.len = command->write.len,
		.place = command->write.place,
	};

	if (run.len == 0)
		return put_empty(b, variants, command);
	return variants ? put_run(b, &run) : 0;
}

/* Protocol 1 knows no holes: docs/stream.md, section 11. */
static int put_zeros(PlanBuilder *b, unsigned variants, const struct command *command)
{
	const uint64_t end = MIN(command->hole.end, command->hole.file_size);
	struct plan_run run = {
		.kind = RUN_DATA,
		.variants = variants,
		.path = command->path,
		.ino = command->hole.ino,
		.offset = command->hole.offset,
		.place = { .kind = DATA_ZERO, .item_offset = command->hole.offset },
	};

	if (!variants || run.offset >= end)
		return 0;
	run.len = end - run.offset;
	return put_run(b, &run);
}

static int put(void *user, const struct command *command)
{
	PlanBuilder *b = user;
	unsigned variants = VARIANTS_ALL & ~command->not_in & b->live;
	int r = 0;

	if (b->error)
		return b->error;
	if (command->type == CMD_WRITE)
		return put_write(b, variants, command);
	if (command->type == CMD_FALLOCATE)
		r = put_zeros(b, variants & VARIANTS_PROTOCOL_1, command);
	if (command->type == CMD_FALLOCATE || command->type == CMD_FILEATTR)
		variants &= VARIANTS_PROTOCOL_2;
	return r || !variants ? r : put_literal(b, variants, command);
}

struct command_sink plan_builder_sink(PlanBuilder *builder)
{
	return (struct command_sink){ .put = put, .user = builder };
}

static void put_stream_header(PlanBuilder *b)
{
	struct per_variant lens;

	segment_begin(b);
	record_put_header(b->buffer + b->used++);
	for (unsigned i = 0; i < STREAM_VARIANTS; i++) {
		lens.of[i] = STREAM_HEADER_LEN;
		b->variants[i].totals.literal_bytes = STREAM_HEADER_LEN;
	}
	size_add(b, &lens);
}

PlanBuilder *plan_builder_new(size_t memory_bytes, const char *spill_dir)
{
	/* The longest command after an almost full block, then the table. */
	const size_t buffer_bytes = BLOCK_BYTES + command_len_max(STREAM_PROTOCOL_2) +
				    RECORD_LITERAL_HEAD + RECORD_DATA_MAX + BLOCK_BYTES +
				    BLOCK_TABLE_ENTRY + BLOCK_TAIL;
	g_autoptr(PlanBuilder) b = g_try_new0(PlanBuilder, 1);

	if (!b)
		return NULL;
	b->live = VARIANTS_ALL;
	b->digest = XXH3_createState();
	b->store = block_store_new(memory_bytes, spill_dir);
	b->buffer = g_try_malloc(buffer_bytes);
	b->table = g_try_malloc(BLOCK_BYTES + BLOCK_TABLE_ENTRY);
	if (!b->digest || !b->store || !b->buffer || !b->table)
		return NULL;
	XXH3_64bits_reset(b->digest);
	put_stream_header(b);
	return g_steal_pointer(&b);
}

void plan_builder_free(PlanBuilder *builder)
{
	if (!builder)
		return;
	XXH3_freeState(builder->digest);
	block_store_free(builder->store);
	g_free(builder->buffer);
	g_free(builder->table);
	g_free(builder);
}

int plan_builder_finish(PlanBuilder *builder, Plan **ret)
{
	Plan *plan;
	int r = builder->error;

	if (r == 0 && builder->n_segments > 0)
		r = block_close(builder);
	if (r)
		return r;
	plan = plan_new(builder->store, builder->variants, XXH3_64bits_digest(builder->digest));
	if (!plan)
		return -ENOMEM;
	builder->store = NULL;
	builder->error = -EINVAL;
	*ret = plan;
	return 0;
}
