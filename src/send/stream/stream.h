#pragma once
#include "btrfs/extent/file_data.h"
#include "btrfs/subvol/catalog.h"
#include "send/plan/plan.h"

/*
 * Streams as files: an exact size, and bytes at any offset.  A Stream is all
 * variants of a stream, which share the plan: whoever wants to know of another
 * variant of one that is planned does not wait.
 *
 * The registry knows the streams in use.  Readers of one stream share its
 * plan, which is made once, in a thread of its own, and the chunks made from
 * it.  Any thread may call anything.
 */
typedef struct StreamRegistry StreamRegistry;
typedef struct Stream Stream;

struct stream_options {
	size_t cache_bytes;	   /* for finished chunks */
	size_t plan_memory_bytes;  /* per plan, before it spills */
	const char *spill_dir;
	Log *log;
};

StreamRegistry *stream_registry_new(Fs *fs, Catalog *catalog, FileData *data,
				    const struct stream_options *options);
/* No Stream may be in use; planning that nobody waits for is called off. */
void stream_registry_free(StreamRegistry *registry); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StreamRegistry, stream_registry_free)

/* What a stream is of. @parent NULL: a full send. */
struct stream_key {
	const Snapshot *snapshot, *parent;
	/* Snapshot that data may be cloned from, besides the parent; in an order
	 * that is the same for equal sets.  NULL: none.  Unchanged from now on. */
	GPtrArray *clone_sources;
};

/* The stream, begun to be planned if nobody has yet; returns at once.
 *   -EPERM   one of them is not read-only
 *   -ENOENT  one of them is gone
 *   -ENOMEM */
int stream_open(StreamRegistry *registry, const struct stream_key *key, Stream **ret);
Stream *stream_ref(Stream *stream);
/* Planning that the last one walks away from is called off; the plan of a
 * finished stream is kept for the next reader while the budget allows, its
 * pins are let go. */
void stream_unref(Stream *stream); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Stream, stream_unref)

/* Asks from time to time whether to give up: true ends a wait. */
typedef bool (*stream_interrupted_fn)(void *user);

/*
 * Waits for the plan.  0, -EINTR if @interrupted said so, or the error that
 * ended the planning, of all or of this variant.
 */
int stream_wait(Stream *stream, enum stream_variant variant, stream_interrupted_fn interrupted,
		void *user);

/* After stream_wait() gave 0 for the variant. */
uint64_t stream_size(const Stream *stream, enum stream_variant variant);
uint64_t stream_digest(const Stream *stream); /* plan_digest() */
struct plan_totals stream_totals(const Stream *stream, enum stream_variant variant);

/*
 * Reads up to @len bytes at @offset; *ret_len is shorter only at the end.
 * Never a wrong byte: otherwise
 *   -ESTALE    the snapshot has changed or gone
 *   -EIO       damaged beyond every copy: *ret_len bytes before the damaged
 *              command are good and have been given (only if > 0: then 0 is
 *              returned and the next read fails)
 *   -ENOMEM
 */
int stream_read(Stream *stream, enum stream_variant variant, uint64_t offset, void *buffer,
		size_t len, size_t *ret_len);
