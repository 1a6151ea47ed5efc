#include "send/plan/block.h"
#include "send/plan/internal.h"
#include <stdatomic.h>

/* A block is closed when it has this many bytes; the last command may pass it. */
#define BLOCK_BYTES ((size_t)64 * 1024)

struct PlanBuilder {
	enum stream_protocol protocol;
	BlockStore *store;
	atomic_uint_least64_t size; /* of the stream; one thread writes it */
	struct plan_totals totals;
	int error; /* sticks */

	/* The block in the making. */
	uint8_t *buffer; /* records */
	size_t used;
	uint8_t *table;
	uint32_t n_segments;
	uint64_t begin; /* in the stream */

	/* Its last segment. */
	uint64_t segment_len; /* bytes of the stream */
	bool literal_open;
	size_t literal_at; /* its head in the buffer */
	struct record_before before;
};

static uint64_t size_now(const PlanBuilder *b)
{
	return atomic_load_explicit(&b->size, memory_order_relaxed);
}

static void size_add(PlanBuilder *b, uint64_t len)
{
	atomic_store_explicit(&b->size, size_now(b) + len, memory_order_relaxed);
	b->segment_len += len;
}

uint64_t plan_builder_size(const PlanBuilder *builder)
{
	return size_now(builder);
}

static void literal_close(PlanBuilder *b)
{
	const size_t body = b->literal_at + RECORD_LITERAL_HEAD;

	if (!b->literal_open)
		return;
	b->literal_open = false;
	if (b->used == body)
		b->used = b->literal_at;
	else
		record_put_literal_head(b->buffer + b->literal_at, (uint32_t)(b->used - body));
}

static void literal_begin(PlanBuilder *b)
{
	if (b->literal_open)
		return;
	b->literal_open = true;
	b->literal_at = b->used;
	b->used += RECORD_LITERAL_HEAD;
}

static void segment_begin(PlanBuilder *b)
{
	literal_close(b);
	block_put_table_entry(b->table + (size_t)b->n_segments * BLOCK_TABLE_ENTRY,
			      size_now(b) - b->begin, (uint32_t)b->used);
	b->n_segments++;
	b->segment_len = 0;
	b->before = (struct record_before){ 0 };
}

static size_t table_len(const PlanBuilder *b)
{
	return (size_t)b->n_segments * BLOCK_TABLE_ENTRY;
}

static int block_close(PlanBuilder *b)
{
	size_t len;

	literal_close(b);
	if (b->segment_len == 0) /* begun for a command that gave nothing */
		b->n_segments--;
	if (b->n_segments == 0)
		return 0;
	memcpy(b->buffer + b->used, b->table, table_len(b));
	len = b->used + table_len(b);
	store_le32(b->buffer + len, b->n_segments);
	len += BLOCK_TAIL;
	b->error = block_store_append(b->store, span_of(b->buffer, len), size_now(b) - b->begin);
	b->begin = size_now(b);
	b->used = 0;
	b->n_segments = 0;
	return b->error;
}

/* Makes room in the block for any command, and in the segment for @len bytes
 * of the stream unless it begins with them. */
static int make_room(PlanBuilder *b, uint64_t len)
{
	if (b->used + table_len(b) >= BLOCK_BYTES) {
		int r = block_close(b);

		if (r)
			return r;
	}
	if (b->n_segments == 0 ||
	    (b->segment_len > 0 &&
	     (b->segment_len > PLAN_CHUNK_MOST || len > PLAN_CHUNK_MOST - b->segment_len)))
		segment_begin(b);
	return 0;
}

static bool stream_too_long(const PlanBuilder *b, uint64_t len)
{
	return len > (uint64_t)INT64_MAX - size_now(b);
}

static int put_literal(PlanBuilder *b, const struct command *command)
{
	const uint32_t most = command_len_max(b->protocol);
	size_t len = 0;
	int r;

	if (stream_too_long(b, most))
		return -EOVERFLOW;
	/* Where segments end must not depend on a length that is known too late. */
	r = make_room(b, most);
	if (r)
		return r;
	literal_begin(b);
	r = command_encode_at(b->protocol, command, b->buffer + b->used, &len);
	if (r || len == 0)
		return r;
	b->used += len;
	size_add(b, len);
	b->totals.literal_bytes += len;
	b->totals.commands[command->type]++;
	if (command->type == CMD_CLONE)
		b->totals.cloned_bytes += command->clone.len;
	return 0;
}

static int put_run(PlanBuilder *b, const struct plan_run *run)
{
	struct run_shape shape;
	uint64_t end;
	int r;

	if (run->len == 0)
		return 0;
	if (run->path.len > COMMAND_PATH_MAX)
		return -ENAMETOOLONG;
	if (__builtin_add_overflow(run->offset, run->len, &end) ||
	    !run_shape(b->protocol, run->path.len, run->len, &shape) ||
	    stream_too_long(b, shape.stream_len))
		return -EOVERFLOW;
	r = make_room(b, shape.stream_len);
	if (r)
		return r;
	literal_close(b);
	b->used += record_put_data(b->buffer + b->used, run, &b->before);
	size_add(b, shape.stream_len);
	b->totals.data_bytes += shape.stream_len;
	b->totals.file_bytes += run->len;
	b->totals.commands[CMD_WRITE] += shape.n_writes;
	return 0;
}

static int put_write(PlanBuilder *b, const struct command *command)
{
	const struct plan_run run = {
		.is_data = true,
		.path = command->path,
		.ino = command->write.ino,
		.offset = command->write.offset,
		.len = command->write.len,
		.place = command->write.place,
	};

	return put_run(b, &run);
}

/* Protocol 1 knows no holes: docs/stream.md, section 11. */
static int put_hole(PlanBuilder *b, const struct command *command)
{
	const uint64_t end = MIN(command->hole.end, command->hole.file_size);
	struct plan_run run = {
		.is_data = true,
		.path = command->path,
		.ino = command->hole.ino,
		.offset = command->hole.offset,
		.place = { .kind = DATA_ZERO, .item_offset = command->hole.offset },
	};

	if (run.offset >= end)
		return 0;
	run.len = end - run.offset;
	return put_run(b, &run);
}

static int put(void *user, const struct command *command)
{
	PlanBuilder *b = user;

	if (b->error)
		return b->error;
	if (command->type == CMD_WRITE)
		return put_write(b, command);
	if (command->type == CMD_FALLOCATE && b->protocol == STREAM_PROTOCOL_1)
		return put_hole(b, command);
	return put_literal(b, command);
}

struct command_sink plan_builder_sink(PlanBuilder *builder)
{
	return (struct command_sink){ .put = put, .user = builder };
}

static void put_stream_header(PlanBuilder *b)
{
	segment_begin(b);
	literal_begin(b);
	stream_header_encode(b->protocol, b->buffer + b->used);
	b->used += STREAM_HEADER_LEN;
	size_add(b, STREAM_HEADER_LEN);
	b->totals.literal_bytes += STREAM_HEADER_LEN;
}

PlanBuilder *plan_builder_new(enum stream_protocol protocol, size_t memory_bytes,
			      const char *spill_dir)
{
	/* The longest command after an almost full block, then the table. */
	const size_t buffer_bytes = BLOCK_BYTES + command_len_max(protocol) + RECORD_LITERAL_HEAD +
				    RECORD_DATA_MAX + BLOCK_BYTES + BLOCK_TABLE_ENTRY + BLOCK_TAIL;
	g_autoptr(PlanBuilder) b = g_try_new0(PlanBuilder, 1);

	if (!b)
		return NULL;
	b->protocol = protocol;
	b->store = block_store_new(memory_bytes, spill_dir);
	b->buffer = g_try_malloc(buffer_bytes);
	b->table = g_try_malloc(BLOCK_BYTES + BLOCK_TABLE_ENTRY);
	if (!b->store || !b->buffer || !b->table)
		return NULL;
	put_stream_header(b);
	return g_steal_pointer(&b);
}

void plan_builder_free(PlanBuilder *builder)
{
	if (!builder)
		return;
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
	plan = plan_new(builder->protocol, builder->store, &builder->totals);
	if (!plan)
		return -ENOMEM;
	builder->store = NULL;
	builder->error = -EINVAL;
	*ret = plan;
	return 0;
}
