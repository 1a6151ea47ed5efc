#pragma once
#include "send/plan/plan.h"

/*
 * The records of a plan, as docs/plan-format.md has them.  Pure functions;
 * the reader accepts any bytes.
 */
#define RECORD_LITERAL_HEAD 5u
/* The most bytes of a data record. */
#define RECORD_DATA_MAX (COMMAND_PATH_MAX + 128u)

/* What the "same as before" of a data record refers to: the data record
 * before it in the same segment. */
struct record_before {
	bool any;
	struct span path;
	uint64_t ino;
};

/* The head of a literal of @len bytes, which follow it. */
void record_put_literal_head(uint8_t at[RECORD_LITERAL_HEAD], unsigned variants, uint32_t len);

/* The stream's header: one byte. */
void record_put_header(uint8_t *at);

/* Writes a data record at @at, which has room for RECORD_DATA_MAX; returns its
 * length.  @before becomes @run, its path a span in the record. */
size_t record_put_data(uint8_t *at, const struct plan_run *run, struct record_before *before);

struct record_reader {
	struct cursor cursor;
	struct record_before before;
};

/* 1 and *ret, whose spans point into the bytes read; 0 at the end; -EUCLEAN. */
int record_next(struct record_reader *reader, struct plan_run *ret);

/* What a data run becomes in a stream. */
struct run_shape {
	enum command_type type;
	uint64_t n_commands;
	uint64_t stream_len; /* bytes, all commands */
	uint64_t data_len;   /* of them, without what makes them commands */
	uint64_t chunk_data; /* bytes of the file, of as many commands as a chunk takes */
	uint32_t chunk_len;  /* bytes of these commands */
};

/* Of a run with a length.  -EOVERFLOW: the stream's length would pass INT64_MAX, or
 * the kernel's command buffer would not hold it. */
int run_shape(enum stream_variant variant, const struct plan_run *run, struct run_shape *ret);

/* Bytes of the stream that any run gives; -EUCLEAN if it makes no sense. */
int run_stream_len(enum stream_variant variant, const struct plan_run *run, uint64_t *ret);
