#pragma once
#include "base/load_cache.h"
#include "base/lock.h"
#include "btrfs/extent/cursor_pool.h"
#include "send/order/sender.h"
#include "send/stream/stream.h"
#include <stdatomic.h>

/*
 * What the files of this folder share.  Locks, outermost first: the
 * registry's, a stream's.  Neither is held while anything is read.
 */

/* How many places of one stream are followed, to tell sequential readers. */
#define AHEAD_PLACES 8u

/* Data is read to an address that a device can write to, then moved. */
#define READ_ALIGN ((size_t)4096)

enum stream_state { STREAM_PLANNING, STREAM_PLANNED, STREAM_FAILED };

/* A reader that goes forward. */
struct ahead_place {
	enum stream_variant variant;
	uint64_t end;	/* of what it has read, in the stream */
	uint64_t ahead; /* what is made ahead ends here */
};

struct Stream {
	StreamRegistry *registry;
	uint64_t serial; /* of its chunks in the cache, plus the variant */
	Snapshot *snapshot, *parent;
	GPtrArray *clone_sources; /* Snapshot, besides the parent; NULL: none */
	char *name; /* of the directory, for messages */
	CursorPool *cursors;
	atomic_bool cancelled;
	atomic_uint_fast64_t failed_at; /* the offset last complained of, plus 1 */

	/* Under the registry's lock. */
	unsigned refs;
	bool planning; /* its thread has not let go of it yet */
	int snapshot_pin;
	GArray *source_pins; /* as in struct stream_pins; for the planner */
	uint64_t idle_bytes; /* what it counts for while idle: a plan's size varies */

	pthread_mutex_t lock; /* protects the following */
	pthread_cond_t changed; /* planned or failed */
	enum stream_state state;
	int error;
	bool stale;	  /* no use to the next opener */
	struct tree tree; /* where the snapshot's tree was seen last */
	struct ahead_place places[AHEAD_PLACES];
	unsigned next_place;

	/* Unchanged once the state is STREAM_PLANNED. */
	Plan *plan;
	uint64_t ctransid;	  /* of the snapshot that was planned */
	struct tree planned_tree; /* the plan's places are of this one */
};

struct StreamRegistry {
	Fs *fs;
	Catalog *catalog;
	FileData *data;
	Log *log;
	size_t cache_bytes, plan_memory_bytes;
	char *spill_dir;
	LoadCache *chunks; /* by offset in the stream, and serial */
	SlabPool *buffers; /* of chunks */
	atomic_bool closing;

	pthread_mutex_t lock;	/* protects the following */
	pthread_cond_t changed; /* n_busy is 0 */
	GPtrArray *in_use;	/* Stream, not referenced */
	GQueue idle;		/* Stream, planned; the last used first */
	uint64_t idle_bytes;
	uint64_t next_serial;
	unsigned n_busy; /* planning threads and chunks being made ahead */
};

/* Who works for the registry without holding a caller up. */
void registry_busy_begin(StreamRegistry *registry);
void registry_busy_end(StreamRegistry *registry);

/*
 * The root of @snapshot as of the superblock in use.  @ctransid 0: whatever
 * it is now.
 *   -ESTALE   gone, writable, another one, or of another ctransid
 */
int stream_root(Fs *fs, const Snapshot *snapshot, uint64_t ctransid, struct send_root *ret);

/* Whether @err can come of blocks that a later commit has moved. */
bool stream_may_have_moved(int err);

/* A plan, and what it is of. */
struct stream_planned {
	Plan *plan;
	struct tree tree; /* in which its places were looked up */
	uint64_t ctransid;
};

/* Descriptors of what is planned from; -1 where the file system is not mounted.
 * @sources (int, closed with the array) is in the order of stream_source(). */
struct stream_pins {
	int snapshot;
	GArray *sources;
};

/* What data may be cloned from besides the snapshot: its parent, if there is
 * one, and then the further clone sources. */
guint stream_n_sources(const Stream *stream);
const Snapshot *stream_source(const Stream *stream, guint i);

/* Makes the plan, once what the snapshots hold is on disk. */
int stream_plan(Stream *stream, const struct stream_pins *pins, struct stream_planned *ret);

/* The chunk of a planned stream, from the cache or made now.  A blob that
 * ends early says why in its error. */
int stream_chunk(Stream *stream, enum stream_variant variant, const struct plan_chunk *chunk,
		 Blob **ret);

/* After a read of [offset, end): makes ahead what comes next if that reader
 * goes forward. */
void stream_ahead(Stream *stream, enum stream_variant variant, uint64_t offset, uint64_t end);
