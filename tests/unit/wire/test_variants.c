/* What the variants of a stream make of commands and data. */
#include "send/wire/decode.h"
#include "send/wire/translate.h"
#include "send/wire/variant.h"
#include "support/bytes.h"

static const struct data_place regular = {
	.kind = DATA_EXTENT,
	.compression = BTRFS_COMPRESS_ZSTD,
	.item_offset = 8192,
	.ram_bytes = 131072,
	.stored_len = 4096,
	.disk_bytenr = 1 << 20,
	.offset = 16384,
	.num_bytes = 65536,
};

static const struct data_place in_item = {
	.kind = DATA_INLINE,
	.compression = BTRFS_COMPRESS_ZLIB,
	.ram_bytes = 2000,
	.stored_len = 33,
};

static void expect_number(enum stream_protocol protocol, struct cursor *attributes,
			  enum attribute_type type, size_t len, uint64_t value)
{
	struct stream_attribute attribute;

	g_assert_cmpint(stream_attribute_next(protocol, attributes, &attribute), ==, 1);
	g_assert_cmpuint(attribute.type, ==, type);
	g_assert_cmpuint(attribute.value.len, ==, len);
	g_assert_cmpuint(len == 8 ? load_le64(attribute.value.data) :
				    load_le32(attribute.value.data), ==, value);
}

/* The command as a stream of its own: header and checksum hold. */
static struct stream_command read_back(const GByteArray *stream)
{
	struct stream_reader reader = stream_reader_of(span_of_bytes(stream));
	struct stream_command command;

	g_assert_cmpint(stream_next(&reader, &command), ==, 1);
	g_assert_cmpuint(reader.cursor.left, ==, 0);
	return command;
}

static GByteArray *encoded_stream(const struct encoded_write *write)
{
	GByteArray *stream = g_byte_array_new();
	uint8_t *data;
	size_t len;

	g_assert_cmpint(encoded_write_len(write->path.len, write->place, &len), ==, 0);
	g_byte_array_set_size(stream, STREAM_HEADER_LEN + (guint)len);
	stream_header_encode(STREAM_PROTOCOL_2, stream->data);
	data = encoded_write_begin(stream->data + STREAM_HEADER_LEN, write);
	g_assert_true(data + write->place->stored_len == stream->data + stream->len);
	memset(data, 0x5a, (size_t)write->place->stored_len);
	command_finish(stream->data + STREAM_HEADER_LEN);
	return stream;
}

/* @numbers: file length, length, offset, compression. */
static void check_encoded(const struct encoded_write *write, const uint64_t numbers[4])
{
	g_autoptr(GByteArray) stream = encoded_stream(write);
	const struct stream_command command = read_back(stream);
	struct cursor attributes = cursor_of(command.attributes);
	struct stream_attribute attribute;

	g_assert_cmpuint(command.type, ==, CMD_ENCODED_WRITE);
	g_assert_cmpint(stream_attribute_next(STREAM_PROTOCOL_2, &attributes, &attribute), ==, 1);
	g_assert_true(attribute.type == ATTR_PATH && span_equal(attribute.value, write->path));
	expect_number(STREAM_PROTOCOL_2, &attributes, ATTR_FILE_OFFSET, 8, write->offset);
	expect_number(STREAM_PROTOCOL_2, &attributes, ATTR_UNENCODED_FILE_LEN, 8, numbers[0]);
	expect_number(STREAM_PROTOCOL_2, &attributes, ATTR_UNENCODED_LEN, 8, numbers[1]);
	expect_number(STREAM_PROTOCOL_2, &attributes, ATTR_UNENCODED_OFFSET, 8, numbers[2]);
	expect_number(STREAM_PROTOCOL_2, &attributes, ATTR_COMPRESSION, 4, numbers[3]);
	if (write->place->kind == DATA_EXTENT)
		expect_number(STREAM_PROTOCOL_2, &attributes, ATTR_ENCRYPTION, 4, 0);
	g_assert_cmpint(stream_attribute_next(STREAM_PROTOCOL_2, &attributes, &attribute), ==, 1);
	g_assert_cmpuint(attribute.type, ==, ATTR_DATA);
	g_assert_cmpuint(attribute.value.len, ==, write->place->stored_len);
	g_assert_cmpint(stream_attribute_next(STREAM_PROTOCOL_2, &attributes, &attribute), ==, 0);
}

static void test_encoded(void)
{
	struct encoded_write write = { span_str("f"), 8192, 65536, &regular, 4096 };
	struct data_place lzo = regular;

	check_encoded(&write, (const uint64_t[]){ 65536, 131072, 16384, 2 });
	write.offset = 12288;
	write.len = 100000; /* more than the item has left */
	check_encoded(&write, (const uint64_t[]){ 61440, 131072, 20480, 2 });
	write.len = 5000; /* the file ends there */
	check_encoded(&write, (const uint64_t[]){ 5000, 131072, 20480, 2 });
	lzo.compression = BTRFS_COMPRESS_LZO;
	write.place = &lzo;
	for (uint32_t sector_size = 4096, code = 3; code <= 7; sector_size *= 2, code++) {
		write.sector_size = sector_size;
		check_encoded(&write, (const uint64_t[]){ 5000, 131072, 20480, code });
	}
}

static void test_encoded_inline(void)
{
	struct encoded_write write = { span_str(""), 0, 2000, &in_item, 4096 };

	check_encoded(&write, (const uint64_t[]){ 2000, 2000, 0, 1 });
	write.len = 40;
	check_encoded(&write, (const uint64_t[]){ 40, 2000, 0, 1 });
}

static void test_encoded_too_long(void)
{
	struct data_place place = regular;
	size_t len;

	place.stored_len = 131072;
	g_assert_cmpint(encoded_write_len(4095, &place, &len), ==, 0);
	place.stored_len = 147456 - 4096;
	g_assert_cmpint(encoded_write_len(100, &place, &len), ==, 0);
	g_assert_cmpint(encoded_write_len(4095, &place, &len), ==, -EOVERFLOW);
	place.stored_len++;
	g_assert_cmpint(encoded_write_len(100, &place, &len), ==, -EOVERFLOW);
	place.stored_len = UINT64_MAX;
	g_assert_cmpint(encoded_write_len(100, &place, &len), ==, -EOVERFLOW);
}

static void test_forms(void)
{
	struct data_place zeros = { .kind = DATA_ZERO, .compression = BTRFS_COMPRESS_LZO };
	struct data_place plain = regular;

	plain.compression = BTRFS_COMPRESS_NONE;
	g_assert_cmpint(data_form(STREAM_V1, 65536, &regular), ==, DATA_WRITES);
	g_assert_cmpint(data_form(STREAM_V2, 65536, &regular), ==, DATA_WRITES);
	g_assert_cmpint(data_form(STREAM_NODATA, 65536, &regular), ==, DATA_NAMED);
	g_assert_cmpint(data_form(STREAM_V2_COMPRESSED, 4096, &regular), ==, DATA_ENCODED);
	g_assert_cmpint(data_form(STREAM_V2_COMPRESSED, 4095, &regular), ==, DATA_WRITES);
	g_assert_cmpint(data_form(STREAM_V2_COMPRESSED, 33, &in_item), ==, DATA_ENCODED);
	g_assert_cmpint(data_form(STREAM_V2_COMPRESSED, 32, &in_item), ==, DATA_WRITES);
	g_assert_cmpint(data_form(STREAM_V2_COMPRESSED, 65536, &plain), ==, DATA_WRITES);
	g_assert_cmpint(data_form(STREAM_V2_COMPRESSED, 65536, &zeros), ==, DATA_WRITES);
}

static void test_update_extent(void)
{
	const struct command command = {
		.type = CMD_UPDATE_EXTENT,
		.path = span_str("some/path"),
		.write = { .offset = 4096, .len = (UINT64_C(6) << 30) - 4096 },
	};
	g_autoptr(GByteArray) out = g_byte_array_new();

	g_assert_cmpint(command_encode(STREAM_PROTOCOL_1, &command, out), ==, 0);
	g_assert_cmpuint(out->len, ==, update_extent_len(command.path.len));
	g_assert_cmpuint(load_le64(out->data + out->len - 8), ==, 2147479552);
}

static const struct command some_commands[] = {
	{ .type = CMD_UNLINK, .path = { (const uint8_t *)"gone", 4 } },
	{ .type = CMD_UTIMES,
	  .path = { (const uint8_t *)"f", 1 },
	  .times = { { 1, 2 }, { 3, 4 }, { 5, 6 }, { 7, 8 } } },
	{ .type = CMD_UTIMES, .times = { .otime = { 9, 9 } } },
	{ .type = CMD_RMDIR, .path = { (const uint8_t *)"d", 1 } },
	{ .type = CMD_UTIMES, .path = { (const uint8_t *)"g", 1 } },
	{ .type = CMD_END },
};

/* From command @first on, @n of them. */
static void check_translation(size_t first, size_t n)
{
	g_autoptr(GByteArray) two = g_byte_array_new(), one = g_byte_array_new();
	g_autofree uint8_t *got = NULL;
	uint64_t len;

	for (size_t i = first; i < first + n; i++) {
		command_encode(STREAM_PROTOCOL_1, &some_commands[i], one);
		command_encode(STREAM_PROTOCOL_2, &some_commands[i], two);
	}
	g_assert_cmpint(commands_len_in_protocol_1(span_of_bytes(two), &len), ==, 0);
	g_assert_cmpuint(len, ==, one->len);
	got = g_malloc(len + 1);
	g_assert_true(commands_put_in_protocol_1(span_of_bytes(two), got) == got + len);
	g_assert_true(span_equal(span_of(got, len), span_of_bytes(one)));
}

static void test_translation(void)
{
	for (size_t first = 0; first < G_N_ELEMENTS(some_commands); first++)
		for (size_t n = 0; first + n <= G_N_ELEMENTS(some_commands); n++)
			check_translation(first, n);
}

static void test_translation_of_nonsense(void)
{
	g_autoptr(GByteArray) two = g_byte_array_new();
	uint64_t len;

	command_encode(STREAM_PROTOCOL_2, &some_commands[2], two);
	for (guint n = 1; n < two->len; n++)
		g_assert_cmpint(commands_len_in_protocol_1(span_of(two->data, n), &len), ==,
				-EUCLEAN);
	store_le32(two->data, 15);
	g_assert_cmpint(commands_len_in_protocol_1(span_of(two->data, 25), &len), ==, -EUCLEAN);
	store_le32(two->data, UINT32_MAX);
	g_assert_cmpint(commands_len_in_protocol_1(span_of_bytes(two), &len), ==, -EUCLEAN);
}

static void test_names(void)
{
	g_assert_cmpstr(variant_name(STREAM_V1), ==, "stream");
	g_assert_cmpstr(variant_name(STREAM_V2), ==, "stream-v2");
	g_assert_cmpstr(variant_name(STREAM_V2_COMPRESSED), ==, "stream-v2-compressed");
	g_assert_cmpstr(variant_name(STREAM_NODATA), ==, "stream-nodata");
	g_assert_cmpint(variant_protocol(STREAM_NODATA), ==, STREAM_PROTOCOL_1);
	g_assert_cmpint(variant_protocol(STREAM_V2_COMPRESSED), ==, STREAM_PROTOCOL_2);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/variants/encoded", test_encoded);
	g_test_add_func("/variants/encoded-inline", test_encoded_inline);
	g_test_add_func("/variants/encoded-too-long", test_encoded_too_long);
	g_test_add_func("/variants/forms", test_forms);
	g_test_add_func("/variants/update-extent", test_update_extent);
	g_test_add_func("/variants/translation", test_translation);
	g_test_add_func("/variants/translation-of-nonsense", test_translation_of_nonsense);
	g_test_add_func("/variants/names", test_names);
	return g_test_run();
}
