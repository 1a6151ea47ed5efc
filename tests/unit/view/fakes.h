#pragma once
#include "send/stream/stream.h"

/*
 * A catalog and streams that stand in for the real ones, linked in their
 * place: snapshots in a table, streams whose byte at @offset is
 * fake_byte(offset).
 */
struct fake_snapshot {
	const char *name;
	uint64_t id, otransid;
	uint8_t uuid, parent_uuid; /* the first byte; the others are 0 */
	bool writable;
};

extern struct fake_snapshot fake_snapshots[8]; /* ends at a NULL name */
extern int fake_find_error;		       /* what catalog_find() returns, if not 0 */

extern uint64_t fake_size;	    /* of every stream */
extern uint64_t fake_digest;	    /* likewise */
extern int fake_open_error, fake_plan_error;
extern _Atomic bool fake_plan_held; /* planning does not end while this holds */
extern int fake_read_error;	    /* at and behind this offset: */
extern uint64_t fake_read_error_at;
extern size_t fake_read_most; /* bytes that one stream_read() gives */
extern _Atomic int fake_streams_open, fake_streams_begun;

static inline uint8_t fake_byte(uint64_t offset)
{
	return (uint8_t)(offset * 2654435761u >> 13);
}

void fake_reset(void);
