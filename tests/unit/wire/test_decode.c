/* Streams that the kernel made, taken apart and put together again. */
#include "command_parse.h"
#include "support/bytes.h"

static struct span stream_load(const char *name, GMappedFile **ret_file)
{
	g_autofree char *path = g_build_filename(STREAMS, name, NULL);
	g_autoptr(GError) error = NULL;

	*ret_file = g_mapped_file_new(path, FALSE, &error);
	g_assert_no_error(error);
	return span_of(g_mapped_file_get_contents(*ret_file),
		       g_mapped_file_get_length(*ret_file));
}

static void command_append(enum stream_protocol protocol, const struct stream_command *from,
			   GByteArray *out)
{
	const guint before = out->len;
	struct command command;
	struct span data;
	size_t len;

	g_assert_true(command_parse(protocol, from, &command, &data));
	if (command.type != CMD_WRITE) {
		g_assert_cmpint(command_encode(protocol, &command, out), ==, 0);
		return;
	}
	len = write_encoded_len(protocol, command.path.len, data.len);
	g_byte_array_set_size(out, before + (guint)len);
	memcpy(write_begin(protocol, out->data + before, command.path, command.write.offset,
			   data.len),
	       data.data, data.len);
	command_finish(out->data + before);
}

static void test_again(gconstpointer name)
{
	g_autoptr(GMappedFile) file = NULL;
	struct span stream = stream_load(name, &file);
	struct stream_reader reader = stream_reader_of(stream);
	g_autoptr(GByteArray) out = g_byte_array_new();
	enum stream_protocol protocol = 0;
	struct stream_command command;
	int r;

	g_byte_array_set_size(out, STREAM_HEADER_LEN);
	while ((r = stream_next(&reader, &command)) > 0) {
		g_assert_cmpuint(command.offset, ==, out->len);
		if (reader.protocol)
			protocol = reader.protocol;
		command_append(protocol, &command, out);
	}
	g_assert_cmpint(r, ==, 0);
	stream_header_encode(protocol, out->data);
	g_assert_true(span_equal(span_of_bytes(out), stream));
}

static int count_commands(struct span stream, unsigned *ret)
{
	struct stream_reader reader = stream_reader_of(stream);
	struct stream_command command;
	int r;

	*ret = 0;
	while ((r = stream_next(&reader, &command)) > 0)
		++*ret;
	return r;
}

static void test_truncated(void)
{
	g_autoptr(GMappedFile) file = NULL;
	struct span stream = stream_load("incremental-v2.stream", &file);
	unsigned all, n;
	unsigned whole_ends = 0;

	g_assert_cmpint(count_commands(stream, &all), ==, 0);
	for (size_t len = 0; len < stream.len; len++) {
		g_autofree uint8_t *part = g_memdup2(stream.data, len);
		int r = count_commands(span_of(part, len), &n);

		if (r == 0)
			whole_ends++;
		else
			g_assert_cmpint(r, ==, -EUCLEAN);
	}
	/* A cut behind a command cannot be seen. */
	g_assert_cmpuint(whole_ends, ==, all - 1);
}

static void test_flipped(void)
{
	g_autoptr(GMappedFile) file = NULL;
	struct span stream = stream_load("incremental-v2.stream", &file);
	g_autofree uint8_t *copy = g_memdup2(stream.data, stream.len);
	const size_t version = STREAM_HEADER_LEN - 4;
	unsigned n;

	for (size_t bit = 0; bit < stream.len * 8; bit++) {
		copy[bit / 8] ^= (uint8_t)(1 << bit % 8);
		if (bit / 8 != version)
			g_assert_cmpint(count_commands(span_of(copy, stream.len), &n), <, 0);
		copy[bit / 8] = stream.data[bit / 8];
	}
	copy[version] = 3;
	g_assert_cmpint(count_commands(span_of(copy, stream.len), &n), ==, -EOPNOTSUPP);
}

static void test_concatenated(void)
{
	g_autoptr(GMappedFile) file = NULL;
	struct span stream = stream_load("incremental-v2.stream", &file);
	g_autofree uint8_t *twice = g_malloc(stream.len * 2);
	unsigned once_n, twice_n;

	memcpy(twice, stream.data, stream.len);
	memcpy(twice + stream.len, stream.data, stream.len);
	g_assert_cmpint(count_commands(stream, &once_n), ==, 0);
	g_assert_cmpint(count_commands(span_of(twice, stream.len * 2), &twice_n), ==, 0);
	g_assert_cmpuint(twice_n, ==, 2 * once_n);
	g_assert_cmpint(count_commands(span_of(NULL, 0), &twice_n), ==, -EUCLEAN);
}

static void test_attributes(void)
{
	static const uint8_t cut[] = { 15, 0, 3, 0, 'a', 'b' };
	struct cursor cursor = cursor_of(span_of(cut, sizeof(cut)));
	struct stream_attribute attribute;

	g_assert_cmpint(stream_attribute_next(STREAM_PROTOCOL_1, &cursor, &attribute), ==,
			-EUCLEAN);
	g_assert_cmpint(stream_attribute_next(STREAM_PROTOCOL_1, &cursor, &attribute), ==,
			-EUCLEAN);
	cursor = cursor_of(span_of(cut, 3));
	g_assert_cmpint(stream_attribute_next(STREAM_PROTOCOL_1, &cursor, &attribute), ==,
			-EUCLEAN);
}

static void test_names(void)
{
	g_assert_cmpstr(command_name(CMD_SET_XATTR), ==, "set_xattr");
	g_assert_null(command_name(0));
	g_assert_null(command_name(26));
	g_assert_cmpstr(attribute_name(ATTR_ENCRYPTION), ==, "encryption");
	g_assert_null(attribute_name(0));
	g_assert_null(attribute_name(32));
}

int main(int argc, char **argv)
{
	static const char *const names[] = { "full-v1",	       "full-v2",   "incremental-v1",
					     "incremental-v2", "nodata-v1", "nodata-v2" };

	g_test_init(&argc, &argv, NULL);
	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *test = g_strdup_printf("/wire/decode/again/%s", names[i]);

		g_test_add_data_func_full(test, g_strdup_printf("%s.stream", names[i]),
					  test_again, g_free);
	}
	g_test_add_func("/wire/decode/truncated", test_truncated);
	g_test_add_func("/wire/decode/flipped", test_flipped);
	g_test_add_func("/wire/decode/concatenated", test_concatenated);
	g_test_add_func("/wire/decode/attributes", test_attributes);
	g_test_add_func("/wire/decode/names", test_names);
	return g_test_run();
}
