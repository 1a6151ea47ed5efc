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
void record_put_literal_head(uint8_t at[RECORD_LITERAL_HEAD], uint32_t len);

/* Writes a data record at @at, which has room for RECORD_DATA_MAX; returns its
 * length.  @before becomes @run, its path a span in the record. */
size_t record_put_data(uint8_t *at, const struct plan_run *run, struct record_before *before);

struct record_reader {
	struct cursor cursor;
	struct record_before before;
};

/* 1 and *ret, whose spans point into the bytes read; 0 at the end; -EUCLEAN. */
int record_next(struct record_reader *reader, struct plan_run *ret);

/* How a data run is cut into commands. */
struct run_shape {
	uint64_t n_writes;
	uint64_t stream_len; /* bytes, all commands */
	uint64_t chunk_data; /* data bytes of as many commands as one chunk takes */
	uint32_t chunk_len;  /* bytes of these commands */
};

/* @len > 0.  False if the length passes INT64_MAX. */
bool run_shape(enum stream_protocol protocol, size_t path_len, uint64_t len,
	       struct run_shape *ret);
