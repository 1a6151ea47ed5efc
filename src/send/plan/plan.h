#pragma once
#include "send/wire/variant.h"

/*
 * A plan: all of a stream but its file data, for every variant of the stream at
 * once.
 *
 * It is a sequence of runs that together are the stream.  A literal run is
 * complete commands, checksums included.  A data run is a range of a file:
 * path, place and length are known, so the sizes of the commands that it
 * becomes are exact, but not the bytes.  Nearly all runs are of all variants,
 * which then differ in what they make of them.
 *
 * A builder belongs to one thread.  A finished Plan never changes; any thread
 * may read it.
 */
typedef struct PlanBuilder PlanBuilder;
typedef struct Plan Plan;

/* @memory_bytes: what is kept in memory before the rest goes to an unlinked
 * file in @spill_dir.  @spill_dir NULL: all stays in memory.  NULL without
 * memory. */
PlanBuilder *plan_builder_new(size_t memory_bytes, const char *spill_dir);
void plan_builder_free(PlanBuilder *builder); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PlanBuilder, plan_builder_free)

/* The sink that encodes commands and appends them; valid as long as the
 * builder.  Its put() returns the errors of command_encode(), -ENAMETOOLONG
 * for a data run's path, -EOVERFLOW for a range that passes UINT64_MAX, and
 * -ENOMEM, -ENOSPC, -EIO and what else the spill file gives (-EACCES, -EDQUOT
 * ...).  After one of the latter the builder is of no more use; the others
 * have changed nothing.  CMD_WRITE is a data run, and so is a hole in protocol
 * 1; ranges of length 0 give nothing, but an UPDATE_EXTENT where data goes
 * without.
 * What does not fit in one variant alone (the kernel's command buffer, a
 * stream that would pass INT64_MAX: -EOVERFLOW) ends that variant, and is
 * returned only when it has ended the last one. */
struct command_sink plan_builder_sink(PlanBuilder *builder);

/* Turns the builder into a plan; the builder is of no more use afterwards.
 * The errors of the spill file, now or earlier. */
int plan_builder_finish(PlanBuilder *builder, Plan **ret);

Plan *plan_ref(Plan *plan);
void plan_unref(Plan *plan); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Plan, plan_unref)

uint64_t plan_memory(const Plan *plan); /* bytes held in memory */

/* Of all that the bytes of the streams depend on, besides what the files hold:
 * two plans of the same snapshots with one digest give the same bytes.  Where
 * extents lie on disk does not count. */
uint64_t plan_digest(const Plan *plan);

/* What ended the variant, or 0.  Nothing else may be asked of one that was ended. */
int plan_error(const Plan *plan, enum stream_variant variant);
/* Bytes, stream header included. */
uint64_t plan_stream_size(const Plan *plan, enum stream_variant variant);

/* How many commands of each type, indexed by enum command_type (data runs
 * counted as the commands they become), and bytes by kind. */
struct plan_totals {
	uint64_t commands[32];
	uint64_t literal_bytes, data_bytes; /* of the stream; they add up to its size */
	uint64_t file_bytes;		    /* data bytes without what makes them commands */
	uint64_t cloned_bytes;		    /* the sum of CLONE lengths */
};

struct plan_totals plan_totals(const Plan *plan, enum stream_variant variant);

/*
 * A chunk: a part of the stream made of whole commands, cut in the same
 * places every time, at most PLAN_CHUNK_MOST bytes long.  (The stream header
 * counts as a part of the first.)
 */
#define PLAN_CHUNK_MOST (512u * 1024)

struct plan_chunk {
	uint64_t offset; /* in the stream */
	uint32_t len;
};

/* The chunk of the variant that holds byte @offset.  -ERANGE: behind the end.  -EIO, -EUCLEAN:
 * the spill file could not be read or does not check out.  -ENOMEM. */
int plan_chunk_at(const Plan *plan, enum stream_variant variant, uint64_t offset,
		  struct plan_chunk *ret);

/* What a chunk is made of, in order. */
enum plan_run_kind {
	RUN_HEADER,  /* of the stream */
	RUN_LITERAL, /* commands, as protocol 2 has them: see translate.h */
	RUN_DATA,    /* see data_form(); a whole number of WRITE commands' worth */
};

struct plan_run {
	enum plan_run_kind kind;
	unsigned variants;   /* that it is of, a bit each */
	struct span literal; /* RUN_LITERAL */
	/* RUN_DATA; WRITEs are cut from @offset on. */
	struct span path;
	uint64_t ino, offset, len;
	struct data_place place;
};

typedef int (*plan_run_fn)(void *user, const struct plan_run *run);

/* Calls @visit for each run of the chunk; stops at, and returns, its first
 * non-zero result.  Spans live until @visit returns.  -EINVAL: not a chunk
 * of plan_chunk_at(); -EIO, -EUCLEAN, -ENOMEM as there. */
int plan_chunk_visit(const Plan *plan, enum stream_variant variant,
		     const struct plan_chunk *chunk, plan_run_fn visit, void *user);
