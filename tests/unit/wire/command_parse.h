#pragma once
#include "send/wire/decode.h"

/* The command that was encoded: the inverse of command_encode(), and for
 * WRITE @ret_data gets the bytes.  Spans point into the stream.  False for
 * attributes that are not those of the command. */
bool command_parse(enum stream_protocol protocol, const struct stream_command *from,
		   struct command *ret, struct span *ret_data);
