/*
 * Compares two send streams of protocol 1:  stream-cmp [--up-to-clones] A B
 *
 * Exit status 0: the same bytes.  1: different, or not streams.  3, only with
 * --up-to-clones: different bytes, but the same commands up to the search for
 * clones: where one stream clones (part of) a range of a file that the other
 * writes, only the ranges are compared.  What follows from that is taken for
 * equal too: how neighbouring ranges are cut into commands, and the TRUNCATE
 * that goes ahead of a clone with an unaligned end.
 */
#include "send/wire/decode.h"
#include <stdio.h>

struct reader {
	struct stream_reader stream;
	struct stream_command command; /* the next one; type 0 at the end */
	struct span path;	       /* of @command */
	uint64_t offset, len;	       /* of its data: WRITE, CLONE */
	uint64_t size;		       /* TRUNCATE */
	struct span data;	       /* WRITE */
	uint64_t used;		       /* bytes of the data that are done */
	bool clones;		       /* a clone has been seen */
};

static uint64_t number_of(struct span value)
{
	return value.len == 8 ? load_le64(value.data) : 0;
}

static int read_attributes(struct reader *reader)
{
	struct cursor attributes = cursor_of(reader->command.attributes);
	struct stream_attribute attribute;
	int r;

	reader->path = reader->data = (struct span){ 0 };
	reader->offset = reader->len = reader->size = reader->used = 0;
	while ((r = stream_attribute_next(STREAM_PROTOCOL_1, &attributes, &attribute)) > 0) {
		if (attribute.type == ATTR_PATH)
			reader->path = attribute.value;
		else if (attribute.type == ATTR_FILE_OFFSET)
			reader->offset = number_of(attribute.value);
		else if (attribute.type == ATTR_SIZE)
			reader->size = number_of(attribute.value);
		else if (attribute.type == ATTR_CLONE_LEN)
			reader->len = number_of(attribute.value);
		else if (attribute.type == ATTR_DATA)
			reader->data = attribute.value;
	}
	if (reader->command.type == CMD_WRITE)
		reader->len = reader->data.len;
	return r;
}

static int read_command(struct reader *reader)
{
	int r = stream_next(&reader->stream, &reader->command);

	if (r > 0)
		return read_attributes(reader);
	reader->command = (struct stream_command){ 0 };
	return r;
}

static bool is_data(const struct reader *reader)
{
	return reader->command.type == CMD_WRITE || reader->command.type == CMD_CLONE;
}

/* Skips the TRUNCATE to where a clone is going to start. */
static int reader_next(struct reader *reader)
{
	int r = read_command(reader);

	if (r == 0 && reader->command.type == CMD_TRUNCATE) {
		struct reader ahead = *reader;

		r = read_command(&ahead);
		if (r == 0 && ahead.command.type == CMD_CLONE && ahead.offset == reader->size &&
		    span_equal(ahead.path, reader->path))
			*reader = ahead;
	}
	if (reader->command.type == CMD_CLONE)
		reader->clones = true;
	return r;
}

/* Takes the range that both commands have in common off both. */
static int take_data(struct reader *a, struct reader *b)
{
	const uint64_t len = MIN(a->len - a->used, b->len - b->used);
	int r = 0;

	if (!span_equal(a->path, b->path) || a->offset + a->used != b->offset + b->used)
		return -EBADMSG;
	if (a->data.data && b->data.data &&
	    memcmp(a->data.data + a->used, b->data.data + b->used, len) != 0)
		return -EBADMSG;
	a->used += len;
	b->used += len;
	if (a->used == a->len)
		r = reader_next(a);
	if (r == 0 && b->used == b->len)
		r = reader_next(b);
	return r;
}

static int compare(struct reader *a, struct reader *b)
{
	int r = reader_next(a);

	if (r == 0)
		r = reader_next(b);
	while (r == 0 && (a->command.type || b->command.type)) {
		if (is_data(a) && is_data(b)) {
			r = take_data(a, b);
		} else if (a->used || b->used || !span_equal(a->command.bytes, b->command.bytes)) {
			r = -EBADMSG;
		} else {
			r = reader_next(a);
			if (r == 0)
				r = reader_next(b);
		}
	}
	return r;
}

static GMappedFile *map(const char *path)
{
	g_autoptr(GError) error = NULL;
	GMappedFile *file = g_mapped_file_new(path, FALSE, &error);

	if (!file)
		fprintf(stderr, "stream-cmp: %s\n", error->message);
	return file;
}

static struct span content(GMappedFile *file)
{
	return span_of(g_mapped_file_get_contents(file), g_mapped_file_get_length(file));
}

int main(int argc, char **argv)
{
	const bool up_to_clones = argc == 4 && g_str_equal(argv[1], "--up-to-clones");
	g_autoptr(GMappedFile) file_a = NULL, file_b = NULL;
	struct reader a = { 0 }, b = { 0 };

	if (argc != 3 && !up_to_clones) {
		fprintf(stderr, "usage: stream-cmp [--up-to-clones] A B\n");
		return 2;
	}
	file_a = map(argv[argc - 2]);
	file_b = map(argv[argc - 1]);
	if (!file_a || !file_b)
		return 2;
	if (span_equal(content(file_a), content(file_b)))
		return 0;
	a.stream = stream_reader_of(content(file_a));
	b.stream = stream_reader_of(content(file_b));
	return up_to_clones && compare(&a, &b) == 0 && (a.clones || b.clones) ? 3 : 1;
}
