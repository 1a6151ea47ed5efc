#pragma once
#include "send/wire/command.h"
#include <glib.h>

/*
 * Commands to bytes.  Everything here is a pure function or works on the
 * caller's memory: any thread.
 */
enum stream_protocol { STREAM_PROTOCOL_1 = 1, STREAM_PROTOCOL_2 = 2 };

#define STREAM_HEADER_LEN 17u
#define COMMAND_HEADER_LEN 10u
#define COMMAND_PATH_MAX 4095u

void stream_header_encode(enum stream_protocol protocol, uint8_t ret[STREAM_HEADER_LEN]);

/* The most data bytes that one WRITE carries: 49,152 or 131,072. */
uint32_t write_data_max(enum stream_protocol protocol);

/* CRC-32C as the stream uses it: register started at 0, no final inversion.
 * @crc: 0, or the result so far, to go on with. */
uint32_t stream_crc(uint32_t crc, const void *data, size_t len);

/*
 * Encodes one command, header and checksum included, at the end of @out.
 * Not for WRITE, FALLOCATE in protocol 1 and ENCODED_WRITE, whose bytes need
 * data: see below.  Nothing is written for a command that @protocol does not
 * have (FILEATTR in protocol 1).  UPDATE_EXTENT takes its range from
 * command.write.
 *   -EINVAL         not a command for this function
 *   -EOVERFLOW      it does not fit the kernel's command buffer
 *   -ENAMETOOLONG   a path above 4,095 or an xattr name above 255 bytes
 */
int command_encode(enum stream_protocol protocol, const struct command *command, GByteArray *out);

/* The same into memory with room for command_len_max() bytes at @at; *ret_len
 * is 0 for a command that @protocol does not have.  After an error the bytes
 * at @at are undefined. */
int command_encode_at(enum stream_protocol protocol, const struct command *command, uint8_t *at,
		      size_t *ret_len);

/* The longest command, header included: the kernel's command buffer. */
uint32_t command_len_max(enum stream_protocol protocol);

/* A WRITE command of @len data bytes for a path of @path_len bytes. */
size_t write_encoded_len(enum stream_protocol protocol, size_t path_len, size_t len);

/*
 * Begins a WRITE at @at, which has room for write_encoded_len(): writes all
 * but the data and returns where the data goes.  Fill it in, then
 * command_finish() puts in the checksum.
 */
uint8_t *write_begin(enum stream_protocol protocol, uint8_t *at, struct span path, uint64_t offset,
		     size_t len);

/* Of a complete command whose length is in its header. */
void command_finish(uint8_t *at);

/* The length of an UPDATE_EXTENT. */
size_t update_extent_len(size_t path_len);

/* An ENCODED_WRITE: protocol 2 alone. */
struct encoded_write {
	struct span path;
	uint64_t offset, len;		/* of the file, within the item of @place */
	const struct data_place *place; /* of a compressed inline or regular extent */
	uint32_t sector_size;		/* of the file system, bytes */
};

/* Its length, with place->stored_len bytes of data.  -EOVERFLOW: the kernel's
 * command buffer would not hold it. */
int encoded_write_len(size_t path_len, const struct data_place *place, size_t *ret);

/* As write_begin(). */
uint8_t *encoded_write_begin(uint8_t *at, const struct encoded_write *write);
