#pragma once
#include "send/plan/plan.h"

/*
 * What a plan is held against: the same commands encoded at once, with made-up
 * file data, and chunks of a plan rendered with that data.
 */

/* A byte of file data and the place it is said to come from, by inode and
 * offset alone. */
uint8_t model_byte(uint64_t ino, uint64_t offset);
struct data_place model_place(uint64_t ino, uint64_t item_offset);

/* Appends the bytes that @command is in the stream. */
void model_encode(enum stream_variant variant, const struct command *command, GByteArray *out);

/* Appends the chunk's bytes; checks that each run is what the model gave. */
int model_render(const Plan *plan, enum stream_variant variant, const struct plan_chunk *chunk,
		 GByteArray *out);

/* Gives random commands, the same for the same seed, to each of @sinks; *outs
 * become their bytes in each variant, stream header included. */
void model_commands(uint32_t seed, unsigned n, const struct command_sink *sinks, unsigned n_sinks,
		    GByteArray *outs[STREAM_VARIANTS]);
