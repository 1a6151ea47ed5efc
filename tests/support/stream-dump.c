/*
 * Prints a send stream as text, one line a command:
 *
 *	OFFSET LENGTH command attribute=value ...
 *
 * Attributes are in the stream's order.  Of file data (DATA) the length and
 * the bare CRC-32C are printed.  With -n OFFSET and LENGTH are left out, so
 * that streams can be compared with diff when something was inserted.
 * With -c, one line a type of command and how many there are.
 * Status 1 if the stream is damaged or cut off; what came before is printed.
 */
#include "send/wire/decode.h"
#include <inttypes.h>
#include <locale.h>
#include <stdio.h>
#include <unistd.h>

static bool without_offsets, counts_only;

static void text_print(struct span text)
{
	for (size_t i = 0; i < text.len; i++) {
		const uint8_t c = text.data[i];

		if (c <= ' ' || c == '\\' || c >= 127)
			printf("\\%03o", c);
		else
			putchar(c);
	}
}

static void hex_print(struct span bytes)
{
	for (size_t i = 0; i < bytes.len; i++)
		printf("%02x", bytes.data[i]);
}

static void uuid_print(struct span uuid)
{
	for (size_t i = 0; i < uuid.len; i++)
		printf("%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid.data[i]);
}

static void number_print(struct span value, bool octal)
{
	uint64_t n;

	if (value.len == 8)
		n = load_le64(value.data);
	else if (value.len == 4)
		n = load_le32(value.data);
	else
		return hex_print(value);
	if (octal)
		printf("%" PRIo64, n);
	else
		printf("%" PRIu64, n);
}

static void time_print(struct span value)
{
	if (value.len != 12)
		return hex_print(value);
	printf("%" PRId64 ".%09" PRIu32, (int64_t)load_le64(value.data),
	       load_le32(value.data + 8));
}

static void attribute_print(const struct stream_attribute *attribute)
{
	const char *name = attribute_name(attribute->type);
	const struct span value = attribute->value;

	if (name)
		printf(" %s=", name);
	else
		printf(" attribute-%u=", attribute->type);
	switch (attribute->type) {
	case ATTR_PATH:
	case ATTR_PATH_TO:
	case ATTR_PATH_LINK:
	case ATTR_CLONE_PATH:
	case ATTR_XATTR_NAME:
	case ATTR_XATTR_DATA:
		return text_print(value);
	case ATTR_UUID:
	case ATTR_CLONE_UUID:
		return uuid_print(value);
	case ATTR_CTIME:
	case ATTR_MTIME:
	case ATTR_ATIME:
	case ATTR_OTIME:
		return time_print(value);
	case ATTR_DATA:
		printf("%zu:%08" PRIx32, value.len, stream_crc(0, value.data, value.len));
		return;
	case ATTR_MODE:
		return number_print(value, true);
	default:
		return number_print(value, false);
	}
}

static bool command_print(enum stream_protocol protocol, const struct stream_command *command)
{
	struct cursor attributes = cursor_of(command->attributes);
	const char *name = command_name(command->type);
	struct stream_attribute attribute;
	int r;

	if (!without_offsets)
		printf("%" PRIu64 " %zu ", command->offset, command->bytes.len);
	if (name)
		printf("%s", name);
	else
		printf("command-%u", command->type);
	while ((r = stream_attribute_next(protocol, &attributes, &attribute)) > 0)
		attribute_print(&attribute);
	printf("%s\n", r < 0 ? " (damaged)" : "");
	return r == 0;
}

static void counts_print(const uint64_t counts[32])
{
	for (uint16_t type = 0; type < 32; type++)
		if (counts[type])
			printf("%s %" PRIu64 "\n", command_name(type) ?: "unknown", counts[type]);
}

static int stream_print(struct span stream)
{
	struct stream_reader reader = stream_reader_of(stream);
	struct stream_command command;
	enum stream_protocol protocol;
	uint64_t counts[32] = { 0 };
	bool good = true;
	int r;

	for (;;) {
		protocol = reader.protocol;
		r = stream_next(&reader, &command);
		if (r <= 0)
			break;
		if (protocol == 0)
			protocol = reader.protocol;
		if (counts_only)
			counts[command.type % 32]++;
		else
			good &= command_print(protocol, &command);
	}
	counts_print(counts);
	fflush(stdout);
	if (r < 0)
		fprintf(stderr, "stream-dump: at %" PRIu64 ": %s\n", reader.offset,
			r == -EBADMSG ? "wrong checksum" : strerror(-r));
	return r < 0 || !good || ferror(stdout);
}

int main(int argc, char **argv)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(GMappedFile) file = NULL;
	int option;

	setlocale(LC_ALL, "C");
	while ((option = getopt(argc, argv, "nc")) != -1) {
		if (option == 'n')
			without_offsets = true;
		else if (option == 'c')
			counts_only = true;
		else
			return 2;
	}
	if (argc - optind != 1) {
		fprintf(stderr, "usage: stream-dump [-n] [-c] FILE\n");
		return 2;
	}
	file = g_mapped_file_new(argv[optind], FALSE, &error);
	if (!file) {
		fprintf(stderr, "stream-dump: %s\n", error->message);
		return 1;
	}
	return stream_print(span_of(g_mapped_file_get_contents(file),
				    g_mapped_file_get_length(file)));
}
