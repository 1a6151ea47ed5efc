#include "send/plan/record.h"
#include "send/wire/translate.h"

/* The first byte of a record: the header's alone, of a literal (with the
 * variants it is for), or of data. */
#define TAG_HEADER 0x00u
#define TAG_LITERAL_SHIFT 1
#define TAG_LITERAL_MASK (VARIANTS_ALL << TAG_LITERAL_SHIFT)
#define TAG_DATA 0x01u
#define TAG_SAME_PATH 0x02u
#define TAG_SAME_INO 0x04u
#define TAG_KIND_SHIFT 3
#define TAG_KIND_MASK 0x03u
#define TAG_COMPRESSED 0x20u
#define TAG_EXTENT 0x40u
#define TAG_VARIANTS 0x80u

void record_put_literal_head(uint8_t at[RECORD_LITERAL_HEAD], unsigned variants, uint32_t len)
{
	at[0] = (uint8_t)(variants << TAG_LITERAL_SHIFT);
	store_le32(at + 1, len);
}

void record_put_header(uint8_t *at)
{
	*at = TAG_HEADER;
}

/* Seven bits a byte, the lowest first; the top bit says that more follow. */
static uint8_t *put_varint(uint8_t *at, uint64_t value)
{
	while (value >= 0x80) {
		*at++ = (uint8_t)(value | 0x80);
		value >>= 7;
	}
	*at++ = (uint8_t)value;
	return at;
}

static uint64_t read_varint(struct cursor *c)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		const uint64_t byte = cursor_u8(c);

		value |= (byte & 0x7f) << shift;
		if (byte < 0x80)
			return value;
	}
	c->error = -EUCLEAN;
	c->left = 0;
	return 0;
}

static bool has_extent(const struct data_place *place)
{
	return place->disk_bytenr || place->offset || place->num_bytes;
}

static uint8_t tag_of(const struct plan_run *run, const struct record_before *before)
{
	unsigned tag = TAG_DATA | (unsigned)run->place.kind << TAG_KIND_SHIFT;

	if (before->any && span_equal(before->path, run->path))
		tag |= TAG_SAME_PATH;
	if (before->any && before->ino == run->ino)
		tag |= TAG_SAME_INO;
	if (run->place.compression)
		tag |= TAG_COMPRESSED;
	if (has_extent(&run->place))
		tag |= TAG_EXTENT;
	if (run->variants != VARIANTS_ALL)
		tag |= TAG_VARIANTS;
	return (uint8_t)tag;
}

static uint8_t *put_place(uint8_t *at, const struct plan_run *run)
{
	const struct data_place *place = &run->place;

	if (place->compression)
		*at++ = place->compression;
	/* An item mostly begins where the run does. */
	at = put_varint(at, run->offset - place->item_offset);
	at = put_varint(at, place->ram_bytes);
	at = put_varint(at, place->stored_len);
	if (!has_extent(place))
		return at;
	at = put_varint(at, place->disk_bytenr);
	at = put_varint(at, place->offset);
	return put_varint(at, place->num_bytes);
}

size_t record_put_data(uint8_t *begin, const struct plan_run *run, struct record_before *before)
{
	const uint8_t tag = tag_of(run, before);
	uint8_t *at = begin;

	*at++ = tag;
	if (tag & TAG_VARIANTS)
		*at++ = (uint8_t)run->variants;
	if (!(tag & TAG_SAME_PATH)) {
		at = put_varint(at, run->path.len);
		if (run->path.len)
			memcpy(at, run->path.data, run->path.len);
		before->path = span_of(at, run->path.len);
		at += run->path.len;
	}
	if (!(tag & TAG_SAME_INO))
		at = put_varint(at, run->ino);
	before->ino = run->ino;
	before->any = true;
	at = put_varint(at, run->offset);
	at = put_varint(at, run->len);
	at = put_place(at, run);
	return (size_t)(at - begin);
}

static int literal_read(struct record_reader *reader, uint8_t tag, struct plan_run *ret)
{
	const uint32_t len = cursor_le32(&reader->cursor);
	const struct span bytes = cursor_bytes(&reader->cursor, len);

	if (reader->cursor.error || len == 0)
		return -EUCLEAN;
	*ret = (struct plan_run){
		.kind = RUN_LITERAL,
		.variants = (unsigned)tag >> TAG_LITERAL_SHIFT,
		.literal = bytes,
	};
	return 1;
}

static struct data_place place_read(struct cursor *c, uint8_t tag, uint64_t run_offset)
{
	struct data_place place = { .kind = tag >> TAG_KIND_SHIFT & TAG_KIND_MASK };

	if (tag & TAG_COMPRESSED)
		place.compression = cursor_u8(c);
	place.item_offset = run_offset - read_varint(c);
	place.ram_bytes = read_varint(c);
	place.stored_len = read_varint(c);
	if (!(tag & TAG_EXTENT))
		return place;
	place.disk_bytenr = read_varint(c);
	place.offset = read_varint(c);
	place.num_bytes = read_varint(c);
	return place;
}

static int data_read(struct record_reader *reader, uint8_t tag, struct plan_run *ret)
{
	struct plan_run run = { .kind = RUN_DATA, .variants = VARIANTS_ALL };
	struct cursor *c = &reader->cursor;
	uint64_t end;

	if (!reader->before.any && (tag & (TAG_SAME_PATH | TAG_SAME_INO)))
		return -EUCLEAN;
	if (tag & TAG_VARIANTS)
		run.variants = cursor_u8(c);
	run.path = reader->before.path;
	if (!(tag & TAG_SAME_PATH))
		run.path = cursor_bytes(c, read_varint(c));
	run.ino = tag & TAG_SAME_INO ? reader->before.ino : read_varint(c);
	run.offset = read_varint(c);
	run.len = read_varint(c);
	run.place = place_read(c, tag, run.offset);
	if (c->error || run.len == 0 || (run.variants & ~VARIANTS_ALL) ||
	    run.path.len > COMMAND_PATH_MAX || run.place.kind > DATA_EXTENT ||
	    __builtin_add_overflow(run.offset, run.len, &end))
		return -EUCLEAN;
	reader->before = (struct record_before){ .any = true, .path = run.path, .ino = run.ino };
	*ret = run;
	return 1;
}

int record_next(struct record_reader *reader, struct plan_run *ret)
{
	uint8_t tag;

	if (reader->cursor.error)
		return reader->cursor.error;
	if (reader->cursor.left == 0)
		return 0;
	tag = cursor_u8(&reader->cursor);
	if (tag & TAG_DATA)
		return data_read(reader, tag, ret);
	if (tag & ~TAG_LITERAL_MASK)
		return -EUCLEAN;
	if (tag != TAG_HEADER)
		return literal_read(reader, tag, ret);
	*ret = (struct plan_run){ .kind = RUN_HEADER, .variants = VARIANTS_ALL };
	return 1;
}

/* One command, whatever its data. */
static void shape_one(enum command_type type, uint64_t command_len, uint64_t data_len,
		      const struct plan_run *run, struct run_shape *ret)
{
	*ret = (struct run_shape){
		.type = type,
		.n_commands = 1,
		.stream_len = command_len,
		.data_len = data_len,
		.chunk_data = run->len,
		.chunk_len = (uint32_t)command_len,
	};
}

static int shape_writes(enum stream_protocol protocol, const struct plan_run *run,
			struct run_shape *ret)
{
	const uint64_t most = write_data_max(protocol);
	const uint64_t head = write_encoded_len(protocol, run->path.len, 0);
	const uint64_t per_chunk = PLAN_CHUNK_MOST / (head + most);
	struct run_shape shape = {
		.type = CMD_WRITE,
		.n_commands = run->len / most + (run->len % most ? 1 : 0),
		.data_len = run->len,
		.chunk_data = per_chunk * most,
		.chunk_len = (uint32_t)(per_chunk * (head + most)),
	};

	if (__builtin_mul_overflow(shape.n_commands, head, &shape.stream_len) ||
	    __builtin_add_overflow(shape.stream_len, run->len, &shape.stream_len) ||
	    shape.stream_len > INT64_MAX)
		return -EOVERFLOW;
	*ret = shape;
	return 0;
}

int run_shape(enum stream_variant variant, const struct plan_run *run, struct run_shape *ret)
{
	size_t len;
	int r;

	switch (data_form(variant, run->len, &run->place)) {
	case DATA_NAMED:
		shape_one(CMD_UPDATE_EXTENT, update_extent_len(run->path.len), 0, run, ret);
		return 0;
	case DATA_ENCODED:
		r = encoded_write_len(run->path.len, &run->place, &len);
		if (r == 0)
			shape_one(CMD_ENCODED_WRITE, len, run->place.stored_len, run, ret);
		return r;
	case DATA_WRITES:
		return shape_writes(variant_protocol(variant), run, ret);
	}
	return -EINVAL;
}

int run_stream_len(enum stream_variant variant, const struct plan_run *run, uint64_t *ret)
{
	struct run_shape shape;

	switch (run->kind) {
	case RUN_HEADER:
		*ret = STREAM_HEADER_LEN;
		return 0;
	case RUN_LITERAL:
		if (variant_protocol(variant) == STREAM_PROTOCOL_1)
			return commands_len_in_protocol_1(run->literal, ret);
		*ret = run->literal.len;
		return 0;
	case RUN_DATA:
		if (run_shape(variant, run, &shape))
			return -EUCLEAN;
		*ret = shape.stream_len;
		return 0;
	}
	return -EUCLEAN;
}
