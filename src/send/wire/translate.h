#pragma once
#include "send/wire/encode.h"

/*
 * Commands of protocol 2 as protocol 1 has them.  But for UTIMES, which loses
 * its last attribute, the bytes are the same.  Not for commands with DATA.
 * Pure functions: any thread.
 */

/* The length of a UTIMES command of @len bytes. */
size_t utimes_len_in_protocol_1(size_t len);

/* The length of whole commands.  -EUCLEAN if they are none. */
int commands_len_in_protocol_1(struct span commands, uint64_t *ret);

/* Writes them to @at, which has room for that length; returns their end. */
uint8_t *commands_put_in_protocol_1(struct span commands, uint8_t *at);
