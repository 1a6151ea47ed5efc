/* The worked examples of docs/stream.md and the limits of the format. */
#include "send/wire/encode.h"
#include "support/bytes.h"

static bool same(struct span got, const char *expected, size_t len)
{
	return span_equal(got, span_of(expected, len));
}

static GByteArray *bytes_of_hex(const char *hex)
{
	GByteArray *bytes = g_byte_array_new();

	while (*hex) {
		guint8 byte;

		if (*hex == ' ') {
			hex++;
			continue;
		}
		byte = (guint8)(g_ascii_xdigit_value(hex[0]) << 4 | g_ascii_xdigit_value(hex[1]));
		g_byte_array_append(bytes, &byte, 1);
		hex += 2;
	}
	return bytes;
}

static void expect_bytes(enum stream_protocol protocol, const struct command *command,
			 const char *hex)
{
	g_autoptr(GByteArray) expected = bytes_of_hex(hex);
	g_autoptr(GByteArray) got = g_byte_array_new();

	g_assert_cmpint(command_encode(protocol, command, got), ==, 0);
	g_assert_true(span_equal(span_of_bytes(got), span_of_bytes(expected)));
}

static void expect_error(enum stream_protocol protocol, const struct command *command, int error)
{
	g_autoptr(GByteArray) out = g_byte_array_new();

	g_byte_array_append(out, (const guint8 *)"kept", 4);
	g_assert_cmpint(command_encode(protocol, command, out), ==, error);
	g_assert_true(same(span_of_bytes(out), "kept", 4));
}

static const uint8_t uuid_s[16] = { 0x40, 0x5e, 0xf7, 0x30, 0x73, 0x70, 0x0e, 0x45,
				    0xb7, 0x64, 0x08, 0x55, 0xac, 0xe6, 0xd1, 0x4f };
static const uint8_t uuid_s2[16] = { 0xe7, 0xe0, 0xe4, 0x1d, 0x5c, 0x10, 0x80, 0x45,
				     0x86, 0x3f, 0x06, 0xf7, 0x9e, 0x1a, 0x77, 0xa6 };

static void test_header(void)
{
	uint8_t header[STREAM_HEADER_LEN];

	stream_header_encode(STREAM_PROTOCOL_1, header);
	g_assert_true(same(span_of(header, sizeof(header)), "btrfs-stream\0\1\0\0\0", 17));
	stream_header_encode(STREAM_PROTOCOL_2, header);
	g_assert_true(same(span_of(header, sizeof(header)), "btrfs-stream\0\2\0\0\0", 17));
}

static void test_crc(void)
{
	g_assert_cmphex(stream_crc(0, "123456789", 9), ==, 0x58e3fa20);
	g_assert_cmphex(stream_crc(stream_crc(0, "1234", 4), "56789", 5), ==, 0x58e3fa20);
}

static void test_begin(void)
{
	const struct command subvol = {
		.type = CMD_SUBVOL,
		.path = span_str("s"),
		.subvol = { .uuid = uuid_s, .ctransid = 7 },
	};
	const struct command snapshot = {
		.type = CMD_SNAPSHOT,
		.path = span_str("s2"),
		.subvol = { .uuid = uuid_s2, .ctransid = 9, .parent_uuid = uuid_s,
			    .parent_ctransid = 7 },
	};
	const struct command end = { .type = CMD_END };

	expect_bytes(STREAM_PROTOCOL_1, &subvol,
		     "25 00 00 00 01 00 22 f2 c3 6e 0f 00 01 00 73"
		     "01 00 10 00 40 5e f7 30 73 70 0e 45 b7 64 08 55 ac e6 d1 4f"
		     "02 00 08 00 07 00 00 00 00 00 00 00");
	expect_bytes(STREAM_PROTOCOL_1, &snapshot,
		     "46 00 00 00 02 00 41 4f 8c 87 0f 00 02 00 73 32"
		     "01 00 10 00 e7 e0 e4 1d 5c 10 80 45 86 3f 06 f7 9e 1a 77 a6"
		     "02 00 08 00 09 00 00 00 00 00 00 00"
		     "14 00 10 00 40 5e f7 30 73 70 0e 45 b7 64 08 55 ac e6 d1 4f"
		     "15 00 08 00 07 00 00 00 00 00 00 00");
	expect_bytes(STREAM_PROTOCOL_1, &end, "00 00 00 00 15 00 50 6c c9 9d");
	expect_bytes(STREAM_PROTOCOL_2, &end, "00 00 00 00 15 00 50 6c c9 9d");
}

static void test_create(void)
{
	const struct command mkfile = {
		.type = CMD_MKFILE, .path = span_str("o257-7-0"), .make = { .ino = 257 },
	};
	const struct command rename = {
		.type = CMD_RENAME, .path = span_str("o257-7-0"),
		.name = { .other = span_str("f") },
	};
	const struct command chmod = { .type = CMD_CHMOD, .mode = 040755 };

	expect_bytes(STREAM_PROTOCOL_1, &mkfile,
		     "18 00 00 00 03 00 6c 6e db 03 0f 00 08 00 6f 32 35 37 2d 37 2d 30"
		     "03 00 08 00 01 01 00 00 00 00 00 00");
	expect_bytes(STREAM_PROTOCOL_1, &rename,
		     "11 00 00 00 09 00 e6 6c f0 26 0f 00 08 00 6f 32 35 37 2d 37 2d 30"
		     "10 00 01 00 66");
	expect_bytes(STREAM_PROTOCOL_1, &chmod,
		     "10 00 00 00 12 00 59 55 75 35 0f 00 00 00"
		     "05 00 08 00 ed 01 00 00 00 00 00 00");
}

static void expect_write(enum stream_protocol protocol, const char *hex)
{
	g_autoptr(GByteArray) expected = bytes_of_hex(hex);
	const size_t len = write_encoded_len(protocol, 1, 5);
	g_autofree uint8_t *got = g_malloc(len);

	memcpy(write_begin(protocol, got, span_str("f"), 0, 5), "hello", 5);
	command_finish(got);
	g_assert_true(span_equal(span_of(got, len), span_of_bytes(expected)));
}

static void test_write(void)
{
	expect_write(STREAM_PROTOCOL_1, "1a 00 00 00 0f 00 4c 0b e8 c7 0f 00 01 00 66"
					"12 00 08 00 00 00 00 00 00 00 00 00"
					"13 00 05 00 68 65 6c 6c 6f");
	expect_write(STREAM_PROTOCOL_2, "18 00 00 00 0f 00 df 33 cc 1f 0f 00 01 00 66"
					"12 00 08 00 00 00 00 00 00 00 00 00"
					"13 00 68 65 6c 6c 6f");
	g_assert_cmpuint(write_data_max(STREAM_PROTOCOL_1), ==, 49152);
	g_assert_cmpuint(write_data_max(STREAM_PROTOCOL_2), ==, 131072);
}

static void test_utimes(void)
{
	const struct command utimes = {
		.type = CMD_UTIMES,
		.path = span_str("f"),
		.times = {
			.atime = { 1000000000, 0x1dcd6500 },
			.mtime = { 0x6b0de9de, 0x05737890 },
			.ctime = { 0x6b0de9de, 0x05737890 },
			.otime = { 0x6b0de9de, 0x04f96690 },
		},
	};
	g_autoptr(GByteArray) two = g_byte_array_new();
	g_autoptr(GByteArray) otime = bytes_of_hex("0c 00 0c 00 de e9 0d 6b 00 00 00 00"
						   "90 66 f9 04");

	expect_bytes(STREAM_PROTOCOL_1, &utimes,
		     "35 00 00 00 14 00 9e 3f 7b 20 0f 00 01 00 66"
		     "0b 00 0c 00 00 ca 9a 3b 00 00 00 00 00 65 cd 1d"
		     "0a 00 0c 00 de e9 0d 6b 00 00 00 00 90 78 73 05"
		     "09 00 0c 00 de e9 0d 6b 00 00 00 00 90 78 73 05");
	g_assert_cmpint(command_encode(STREAM_PROTOCOL_2, &utimes, two), ==, 0);
	g_assert_cmpuint(two->len, ==, 10 + 69);
	g_assert_true(span_equal(span_of(two->data + 10 + 53, 16), span_of_bytes(otime)));
}

static void test_clone(void)
{
	const struct command clone = {
		.type = CMD_CLONE,
		.path = span_str("cl"),
		.clone = { .len = 131072, .uuid = uuid_s2, .ctransid = 9,
			   .path = span_str("big") },
	};

	expect_bytes(STREAM_PROTOCOL_1, &clone,
		     "51 00 00 00 10 00 57 db 9a f5"
		     "12 00 08 00 00 00 00 00 00 00 00 00"
		     "18 00 08 00 00 00 02 00 00 00 00 00"
		     "0f 00 02 00 63 6c"
		     "14 00 10 00 e7 e0 e4 1d 5c 10 80 45 86 3f 06 f7 9e 1a 77 a6"
		     "15 00 08 00 09 00 00 00 00 00 00 00"
		     "16 00 03 00 62 69 67"
		     "17 00 08 00 00 00 00 00 00 00 00 00");
}

static void test_protocol_2(void)
{
	const struct command hole = {
		.type = CMD_FALLOCATE,
		.path = span_str("big"),
		.hole = { .offset = 65536, .end = 98304, .file_size = 70000 },
	};
	const struct command attr = {
		.type = CMD_FILEATTR, .path = span_str("big"), .attr = 512,
	};

	expect_bytes(STREAM_PROTOCOL_2, &hole,
		     "27 00 00 00 17 00 24 fb aa b2 0f 00 03 00 62 69 67"
		     "19 00 04 00 03 00 00 00"
		     "12 00 08 00 00 00 01 00 00 00 00 00"
		     "04 00 08 00 00 80 00 00 00 00 00 00");
	expect_bytes(STREAM_PROTOCOL_2, &attr,
		     "13 00 00 00 18 00 01 9b 1e ac 0f 00 03 00 62 69 67"
		     "1a 00 08 00 00 02 00 00 00 00 00 00");
	expect_bytes(STREAM_PROTOCOL_1, &attr, "");
	expect_error(STREAM_PROTOCOL_1, &hole, -EINVAL);
}

static uint64_t rdev_encoded(uint64_t rdev)
{
	const struct command mknod = {
		.type = CMD_MKNOD, .path = span_str("n"), .make = { .rdev = rdev },
	};
	g_autoptr(GByteArray) out = g_byte_array_new();

	g_assert_cmpint(command_encode(STREAM_PROTOCOL_1, &mknod, out), ==, 0);
	return load_le64(out->data + 10 + 5 + 12 + 4);
}

static void test_rdev(void)
{
	g_assert_cmpuint(rdev_encoded(5 << 20 | 300), ==, 1049900);
	g_assert_cmpuint(rdev_encoded(259 << 20 | 65537), ==, 268501761);
	g_assert_cmpuint(rdev_encoded(0), ==, 0);
}

static void test_long_names(void)
{
	g_autofree char *text = g_strnfill(4096, 'x');
	struct command c = { .type = CMD_UNLINK, .path = span_of(text, 4095) };
	g_autoptr(GByteArray) out = g_byte_array_new();

	g_assert_cmpint(command_encode(STREAM_PROTOCOL_1, &c, out), ==, 0);
	g_assert_cmpuint(out->len, ==, 10 + 4 + 4095);
	c.path.len = 4096;
	expect_error(STREAM_PROTOCOL_1, &c, -ENAMETOOLONG);
	c = (struct command){ .type = CMD_RENAME, .name = { .other = span_of(text, 4096) } };
	expect_error(STREAM_PROTOCOL_1, &c, -ENAMETOOLONG);
	c = (struct command){ .type = CMD_REMOVE_XATTR, .xattr = { .name = span_of(text, 255) } };
	g_assert_cmpint(command_encode(STREAM_PROTOCOL_1, &c, out), ==, 0);
	c.xattr.name.len = 256;
	expect_error(STREAM_PROTOCOL_1, &c, -ENAMETOOLONG);
}

static void test_long_values(void)
{
	g_autofree char *text = g_strnfill(65536, 'x');
	struct command c = {
		.type = CMD_SET_XATTR,
		.path = span_str("f"),
		.xattr = { .name = span_str("n"), .value = span_of(text, 65536 - 10 - 5 - 5 - 4) },
	};
	g_autoptr(GByteArray) out = g_byte_array_new();

	g_assert_cmpint(command_encode(STREAM_PROTOCOL_1, &c, out), ==, 0);
	g_assert_cmpuint(out->len, ==, 65536);
	c.xattr.value.len++;
	expect_error(STREAM_PROTOCOL_1, &c, -EOVERFLOW);
	c.xattr.value.len = 65535;
	g_assert_cmpint(command_encode(STREAM_PROTOCOL_2, &c, out), ==, 0);
	c.xattr.value.len = 65536;
	expect_error(STREAM_PROTOCOL_2, &c, -EOVERFLOW);
}

static void test_not_for_encode(void)
{
	struct command c = { .type = CMD_WRITE };

	expect_error(STREAM_PROTOCOL_1, &c, -EINVAL);
	c.type = CMD_ENCODED_WRITE;
	expect_error(STREAM_PROTOCOL_2, &c, -EINVAL);
	c.type = (enum command_type)77;
	expect_error(STREAM_PROTOCOL_1, &c, -EINVAL);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/wire/encode/header", test_header);
	g_test_add_func("/wire/encode/crc", test_crc);
	g_test_add_func("/wire/encode/begin", test_begin);
	g_test_add_func("/wire/encode/create", test_create);
	g_test_add_func("/wire/encode/write", test_write);
	g_test_add_func("/wire/encode/utimes", test_utimes);
	g_test_add_func("/wire/encode/clone", test_clone);
	g_test_add_func("/wire/encode/protocol-2", test_protocol_2);
	g_test_add_func("/wire/encode/rdev", test_rdev);
	g_test_add_func("/wire/encode/long-names", test_long_names);
	g_test_add_func("/wire/encode/long-values", test_long_values);
	g_test_add_func("/wire/encode/not-for-encode", test_not_for_encode);
	return g_test_run();
}
