#include "model.h"
#include "send/wire/translate.h"

uint8_t model_byte(uint64_t ino, uint64_t offset)
{
	return (uint8_t)(ino * 37 + offset * 11 + (offset >> 9) + (offset >> 17) * 5);
}

struct data_place model_place(uint64_t ino, uint64_t item_offset)
{
	struct data_place place = {
		.kind = (enum data_kind)(ino % 3),
		.compression = (uint8_t)(ino % 4),
		.item_offset = item_offset,
		.ram_bytes = ino * 4096,
		.stored_len = ((item_offset >> 12) ^ 77) % 6000,
	};

	if (place.kind == DATA_EXTENT) {
		place.disk_bytenr = ino << 20;
		place.offset = item_offset / 2;
		place.num_bytes = ~item_offset;
	}
	return place;
}

static void append_write(enum stream_protocol protocol, struct span path, uint64_t ino,
			 uint64_t offset, size_t len, bool zero, GByteArray *out)
{
	const guint before = out->len;
	uint8_t *data;

	g_byte_array_set_size(out, before +
					   (guint)write_encoded_len(protocol, path.len, len));
	data = write_begin(protocol, out->data + before, path, offset, len);
	for (size_t i = 0; i < len; i++)
		data[i] = zero ? 0 : model_byte(ino, offset + i);
	command_finish(out->data + before);
}

static void append_range(enum stream_protocol protocol, struct span path, uint64_t ino,
			 uint64_t offset, uint64_t len, bool zero, GByteArray *out)
{
	while (len > 0) {
		const uint64_t n = MIN(len, write_data_max(protocol));

		append_write(protocol, path, ino, offset, (size_t)n, zero, out);
		offset += n;
		len -= n;
	}
}

/* The extent's own bytes, made up from its address. */
static void append_encoded(struct span path, uint64_t offset, uint64_t len,
			   const struct data_place *place, GByteArray *out)
{
	const struct encoded_write write = { path, offset, len, place, 4096 };
	const guint before = out->len;
	uint8_t *data;
	size_t n;

	g_assert_cmpint(encoded_write_len(path.len, place, &n), ==, 0);
	g_byte_array_set_size(out, before + (guint)n);
	data = encoded_write_begin(out->data + before, &write);
	for (size_t i = 0; i < place->stored_len; i++)
		data[i] = model_byte(place->item_offset, i);
	command_finish(out->data + before);
}

static void append_data(enum stream_variant variant, struct span path, uint64_t ino,
			uint64_t offset, uint64_t len, const struct data_place *place,
			GByteArray *out)
{
	const struct command update = {
		.type = CMD_UPDATE_EXTENT,
		.path = path,
		.write = { .offset = offset, .len = len },
	};

	if (variant == STREAM_NODATA)
		g_assert_cmpint(command_encode(STREAM_PROTOCOL_1, &update, out), ==, 0);
	else if (len > 0 && variant == STREAM_V2_COMPRESSED && place->kind != DATA_ZERO &&
		 place->compression && place->stored_len <= len)
		append_encoded(path, offset, len, place, out);
	else
		append_range(variant_protocol(variant), path, ino, offset, len,
			     place->kind == DATA_ZERO, out);
}

void model_encode(enum stream_variant variant, const struct command *c, GByteArray *out)
{
	static const struct data_place zeros = { .kind = DATA_ZERO };
	const enum stream_protocol protocol = variant_protocol(variant);

	if (c->not_in & VARIANT_BIT(variant))
		return;
	if (c->type == CMD_WRITE) {
		append_data(variant, c->path, c->write.ino, c->write.offset, c->write.len,
			    &c->write.place, out);
	} else if (c->type == CMD_FALLOCATE && protocol == STREAM_PROTOCOL_1) {
		const uint64_t end = MIN(c->hole.end, c->hole.file_size);

		if (c->hole.offset < end)
			append_data(variant, c->path, c->hole.ino, c->hole.offset,
				    end - c->hole.offset, &zeros, out);
	} else {
		g_assert_cmpint(command_encode(protocol, c, out), ==, 0);
	}
}

struct render {
	enum stream_variant variant;
	GByteArray *out;
};

static void render_literal(enum stream_protocol protocol, struct span literal, GByteArray *out)
{
	const guint before = out->len;
	uint64_t len = literal.len;

	g_assert_cmpuint(literal.len, >, 0);
	if (protocol == STREAM_PROTOCOL_2) {
		g_byte_array_append(out, literal.data, (guint)literal.len);
		return;
	}
	g_assert_cmpint(commands_len_in_protocol_1(literal, &len), ==, 0);
	g_byte_array_set_size(out, before + (guint)len);
	g_assert_true(commands_put_in_protocol_1(literal, out->data + before) ==
		      out->data + before + len);
}

static int render_run(void *user, const struct plan_run *run)
{
	const struct render *render = user;
	const enum stream_protocol protocol = variant_protocol(render->variant);

	g_assert_true(run->variants & VARIANT_BIT(render->variant));
	switch (run->kind) {
	case RUN_HEADER:
		g_byte_array_set_size(render->out, render->out->len + STREAM_HEADER_LEN);
		stream_header_encode(protocol, render->out->data + render->out->len -
						       STREAM_HEADER_LEN);
		return 0;
	case RUN_LITERAL:
		render_literal(protocol, run->literal, render->out);
		return 0;
	case RUN_DATA:
		if (run->place.kind != DATA_ZERO || run->place.ram_bytes) {
			struct data_place place = model_place(run->ino, run->place.item_offset);

			g_assert_true(data_place_equal(&run->place, &place));
		}
		append_data(render->variant, run->path, run->ino, run->offset, run->len,
			    &run->place, render->out);
	}
	return 0;
}

int model_render(const Plan *plan, enum stream_variant variant, const struct plan_chunk *chunk,
		 GByteArray *out)
{
	struct render render = { .variant = variant, .out = out };

	return plan_chunk_visit(plan, variant, chunk, render_run, &render);
}

static uint64_t random_len(GRand *rand)
{
	const int kind = g_rand_int_range(rand, 0, 40);

	if (kind == 0)
		return (uint64_t)g_rand_int_range(rand, 0, 3000000);
	if (kind < 4)
		return (uint64_t)g_rand_int_range(rand, 0, 200000);
	return (uint64_t)g_rand_int_range(rand, 0, 5000);
}

static void random_write(GRand *rand, struct command *c)
{
	const uint64_t item_offset = (uint64_t)g_rand_int_range(rand, 0, 1 << 20) << 12;

	c->write.ino = (uint64_t)g_rand_int_range(rand, 256, 300);
	c->write.offset = item_offset + (uint64_t)g_rand_int_range(rand, 0, 2) * 4096;
	c->write.len = random_len(rand);
	c->write.place = model_place(c->write.ino, item_offset);
}

static void random_hole(GRand *rand, struct command *c)
{
	c->hole.ino = 300;
	c->hole.offset = (uint64_t)g_rand_int_range(rand, 0, 100) << 12;
	c->hole.end = c->hole.offset + random_len(rand);
	c->hole.file_size = (uint64_t)g_rand_int_range(rand, 0, 120) << 12;
}

/* @text: 4,096 bytes, good for paths and values. */
static struct command random_command(GRand *rand, const char *text)
{
	static const uint8_t uuid[16] = "0123456789abcdef";
	static const enum command_type types[] = {
		CMD_MKFILE, CMD_RENAME, CMD_CHMOD, CMD_CHOWN, CMD_UTIMES,    CMD_SET_XATTR,
		CMD_CLONE,  CMD_WRITE,	CMD_WRITE, CMD_WRITE, CMD_FALLOCATE, CMD_FILEATTR,
	};
	const bool long_path = g_rand_int_range(rand, 0, 60) == 0;
	struct command c = {
		.type = types[g_rand_int_range(rand, 0, G_N_ELEMENTS(types))],
		.path = span_of(text + g_rand_int_range(rand, 0, 3),
				(size_t)g_rand_int_range(rand, 0, long_path ? 4096 - 3 : 6)),
	};

	if (g_rand_int_range(rand, 0, 8) == 0)
		c.not_in = (unsigned)g_rand_int_range(rand, 1, 16) | ~VARIANTS_ALL;
	if (c.type == CMD_WRITE) {
		random_write(rand, &c);
	} else if (c.type == CMD_FALLOCATE) {
		random_hole(rand, &c);
	} else if (c.type == CMD_RENAME) {
		c.name.other = span_of(text, 20);
	} else if (c.type == CMD_CLONE) {
		c.clone.len = 4096;
		c.clone.uuid = uuid;
		c.clone.path = span_of(text, 9);
	} else if (c.type == CMD_SET_XATTR) {
		c.xattr.name = span_of(text, 9);
		c.xattr.value = span_of(text, (size_t)g_rand_int_range(rand, 0, 4000));
	}
	return c;
}

static void put_all(const struct command *command, const struct command_sink *sinks,
		    unsigned n_sinks)
{
	for (unsigned i = 0; i < n_sinks; i++)
		g_assert_cmpint(command_put(&sinks[i], command), ==, 0);
}

void model_commands(uint32_t seed, unsigned n, const struct command_sink *sinks, unsigned n_sinks,
		    GByteArray *outs[STREAM_VARIANTS])
{
	g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
	char text[4096];

	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (char)('a' + i % 26);
	for (unsigned variant = 0; variant < STREAM_VARIANTS; variant++) {
		outs[variant] = g_byte_array_new();
		g_byte_array_set_size(outs[variant], STREAM_HEADER_LEN);
		stream_header_encode(variant_protocol(variant), outs[variant]->data);
	}
	for (unsigned i = 0; i < n; i++) {
		struct command command = random_command(rand, text);

		put_all(&command, sinks, n_sinks);
		for (unsigned variant = 0; variant < STREAM_VARIANTS; variant++)
			model_encode(variant, &command, outs[variant]);
	}
}
