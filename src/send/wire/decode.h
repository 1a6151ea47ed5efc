#pragma once
#include "send/wire/attribute.h"
#include "send/wire/encode.h"

/*
 * A stream's bytes as commands and attributes again.  Works on the caller's
 * memory, any bytes are safe; any thread.
 */
struct stream_reader {
	struct cursor cursor;
	uint64_t offset; /* of cursor.at in the stream */
	enum stream_protocol protocol; /* 0 before the header */
};

/* A command as it stands in the stream. */
struct stream_command {
	uint64_t offset;	/* of its header in the stream */
	uint16_t type;		/* maybe none of enum command_type */
	struct span bytes;	/* all of it */
	struct span attributes; /* without the header */
};

struct stream_attribute {
	uint16_t type; /* maybe none of enum attribute_type */
	struct span value;
};

struct stream_reader stream_reader_of(struct span stream);

/*
 * The next command; a header (at the start, or behind END where another
 * stream follows) is read on the way.
 *   1            *ret is the command
 *   0            the end, behind a complete command
 *   -EBADMSG     its checksum is wrong
 *   -EUCLEAN     bytes are missing, or no stream header where one must be
 *   -EOPNOTSUPP  a protocol above 2
 */
int stream_next(struct stream_reader *reader, struct stream_command *ret);

/*
 * The next attribute: begin with @attributes = cursor_of(command.attributes).
 * 1, 0 at the end, -EUCLEAN for an attribute that does not fit.
 */
int stream_attribute_next(enum stream_protocol protocol, struct cursor *attributes,
			  struct stream_attribute *ret);

/* Lower-case names for people, as `btrfs receive --dump` has the commands';
 * NULL: not known. */
const char *command_name(uint16_t type);
const char *attribute_name(uint16_t type);
