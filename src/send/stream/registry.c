#include "base/autofd.h"
#include "base/cause.h"
#include "base/error.h"
#include "send/stream/internal.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <time.h>

#define IDLE_MOST 64u

StreamRegistry *stream_registry_new(Fs *fs, Catalog *catalog, FileData *data,
				    const struct stream_options *options)
{
	StreamRegistry *registry = g_new0(StreamRegistry, 1);

	registry->fs = fs;
	registry->catalog = catalog;
	registry->data = data;
	registry->log = options->log;
	registry->cache_bytes = options->cache_bytes;
	registry->plan_memory_bytes = options->plan_memory_bytes;
	registry->spill_dir = g_strdup(options->spill_dir);
	registry->chunks = load_cache_new(options->cache_bytes);
	registry->buffers = slab_pool_new(sizeof(Blob) + PLAN_CHUNK_MOST + READ_ALIGN);
	pthread_mutex_init(&registry->lock, NULL);
	pthread_cond_init(&registry->changed, NULL);
	registry->in_use = g_ptr_array_new();
	g_queue_init(&registry->idle);
	return registry;
}

void registry_busy_begin(StreamRegistry *registry)
{
	LOCK_SCOPE(&registry->lock);
	registry->n_busy++;
}

void registry_busy_end(StreamRegistry *registry)
{
	LOCK_SCOPE(&registry->lock);
	if (--registry->n_busy == 0)
		pthread_cond_broadcast(&registry->changed);
}

static void wait_until_quiet(StreamRegistry *registry)
{
	LOCK_SCOPE(&registry->lock);

	while (registry->n_busy > 0)
		pthread_cond_wait(&registry->changed, &registry->lock);
}

static void stream_free(Stream *stream)
{
	for (unsigned variant = 0; variant < STREAM_VARIANTS; variant++)
		load_cache_drop(stream->registry->chunks, stream->serial + variant);
	autofd_close(&stream->snapshot_pin);
	g_clear_pointer(&stream->source_pins, g_array_unref);
	plan_unref(stream->plan);
	cursor_pool_free(stream->cursors);
	snapshot_unref(stream->snapshot);
	snapshot_unref(stream->parent);
	g_clear_pointer(&stream->clone_sources, g_ptr_array_unref);
	pthread_cond_destroy(&stream->changed);
	pthread_mutex_destroy(&stream->lock);
	g_free(stream->name);
	g_free(stream);
}

static void free_stream(void *stream)
{
	stream_free(stream);
}

void stream_registry_free(StreamRegistry *registry)
{
	if (!registry)
		return;
	atomic_store(&registry->closing, true);
	wait_until_quiet(registry);
	g_queue_clear_full(&registry->idle, free_stream);
	g_ptr_array_free(registry->in_use, TRUE);
	load_cache_free(registry->chunks);
	slab_pool_free(registry->buffers);
	pthread_cond_destroy(&registry->changed);
	pthread_mutex_destroy(&registry->lock);
	g_free(registry->spill_dir);
	g_free(registry);
}

static guint n_clone_sources(const GPtrArray *clone_sources)
{
	return clone_sources ? clone_sources->len : 0;
}

guint stream_n_sources(const Stream *stream)
{
	return (stream->parent ? 1 : 0) + n_clone_sources(stream->clone_sources);
}

const Snapshot *stream_source(const Stream *stream, guint i)
{
	if (!stream->parent)
		return g_ptr_array_index(stream->clone_sources, i);
	return i == 0 ? stream->parent : g_ptr_array_index(stream->clone_sources, i - 1);
}

static char *stream_name(const struct stream_key *key)
{
	GString *name = g_string_new(key->parent ? key->parent->name : "");

	for (guint i = 0; i < n_clone_sources(key->clone_sources); i++) {
		const Snapshot *source = g_ptr_array_index(key->clone_sources, i);

		g_string_append_printf(name, ",%s", source->name);
	}
	g_string_append_printf(name, "%s%s", key->parent ? ".." : "", key->snapshot->name);
	return g_string_free(name, FALSE);
}

static void init_condition(pthread_cond_t *condition)
{
	pthread_condattr_t attributes;

	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(condition, &attributes);
	pthread_condattr_destroy(&attributes);
}

static Stream *stream_new(StreamRegistry *registry, const struct stream_key *key)
{
	Stream *stream = g_new0(Stream, 1);

	stream->registry = registry;
	stream->serial = registry->next_serial;
	registry->next_serial += STREAM_VARIANTS;
	stream->snapshot = snapshot_ref(key->snapshot);
	stream->parent = key->parent ? snapshot_ref(key->parent) : NULL;
	stream->clone_sources = key->clone_sources ? g_ptr_array_ref(key->clone_sources) : NULL;
	stream->name = stream_name(key);
	stream->cursors = cursor_pool_new(8);
	stream->snapshot_pin = -1;
	pthread_mutex_init(&stream->lock, NULL);
	init_condition(&stream->changed);
	return stream;
}

/* Of one state of one snapshot, wherever its blocks lie. */
static bool same_snapshot(const Snapshot *a, const Snapshot *b)
{
	if (!a || !b)
		return a == b;
	return a->id == b->id && a->ctransid == b->ctransid &&
	       memcmp(a->uuid, b->uuid, sizeof(a->uuid)) == 0 &&
	       memcmp(a->received_uuid, b->received_uuid, sizeof(a->received_uuid)) == 0 &&
	       g_str_equal(a->leaf_name, b->leaf_name);
}

static bool same_sources(const GPtrArray *a, const GPtrArray *b)
{
	if (n_clone_sources(a) != n_clone_sources(b))
		return false;
	for (guint i = 0; i < n_clone_sources(a); i++)
		if (!same_snapshot(g_ptr_array_index(a, i), g_ptr_array_index(b, i)))
			return false;
	return true;
}

static bool is_for(Stream *stream, const struct stream_key *key)
{
	LOCK_SCOPE(&stream->lock);

	return stream->state != STREAM_FAILED && !stream->stale &&
	       same_snapshot(stream->snapshot, key->snapshot) &&
	       same_snapshot(stream->parent, key->parent) &&
	       same_sources(stream->clone_sources, key->clone_sources);
}

/* Under the registry's lock, as all that follow up to stream_open(). */
static Stream *find_in_use(StreamRegistry *registry, const struct stream_key *key)
{
	for (unsigned i = 0; i < registry->in_use->len; i++) {
		Stream *stream = g_ptr_array_index(registry->in_use, i);

		if (is_for(stream, key))
			return stream;
	}
	return NULL;
}

static Stream *take_idle(StreamRegistry *registry, const struct stream_key *key)
{
	for (GList *link = registry->idle.head; link; link = link->next) {
		Stream *stream = link->data;

		if (!is_for(stream, key))
			continue;
		g_queue_delete_link(&registry->idle, link);
		registry->idle_bytes -= stream->idle_bytes;
		return stream;
	}
	return NULL;
}

static bool is_worth_keeping(Stream *stream)
{
	LOCK_SCOPE(&stream->lock);
	return stream->state == STREAM_PLANNED && !stream->stale;
}

/* The last used first; what is beyond the budget of one plan leaves, but
 * never the one that has just come. */
static void keep_idle(StreamRegistry *registry, Stream *stream, GQueue *leaving)
{
	g_queue_push_head(&registry->idle, stream);
	stream->idle_bytes = plan_memory(stream->plan);
	registry->idle_bytes += stream->idle_bytes;
	while (registry->idle.length > IDLE_MOST ||
	       (registry->idle.length > 1 && registry->idle_bytes > registry->plan_memory_bytes)) {
		Stream *oldest = g_queue_pop_tail(&registry->idle);

		registry->idle_bytes -= oldest->idle_bytes;
		g_queue_push_tail(leaving, oldest);
	}
}

/* Nobody uses it and no thread works for it. */
static void retire(Stream *stream, GQueue *leaving)
{
	if (!is_worth_keeping(stream)) {
		g_queue_push_tail(leaving, stream);
		return;
	}
	cursor_pool_clear(stream->cursors);
	keep_idle(stream->registry, stream, leaving);
}

static void set_planned(Stream *stream, int result, const struct stream_planned *planned)
{
	LOCK_SCOPE(&stream->lock);

	if (result == 0) {
		stream->plan = planned->plan;
		stream->planned_tree = planned->tree;
		stream->tree = planned->tree;
		stream->ctransid = planned->ctransid;
	}
	stream->error = result;
	stream->state = result == 0 ? STREAM_PLANNED : STREAM_FAILED;
	pthread_cond_broadcast(&stream->changed);
}

/* A variant that has ended where others go on: a command that is too long for it. */
static void log_ended(const Stream *stream, const Plan *plan)
{
	for (unsigned variant = 0; variant < STREAM_VARIANTS; variant++)
		if (plan_error(plan, variant))
			log_line(stream->registry->log, LOG_LEVEL_ERROR,
				 "%s/%s: cannot be made: %s", stream->name, variant_name(variant),
				 error_text(plan_error(plan, variant)));
}

static void log_planned(const Stream *stream, int result, const Plan *plan, int64_t began)
{
	const double seconds = (double)(g_get_monotonic_time() - began) / G_USEC_PER_SEC;
	Log *log = stream->registry->log;
	g_autofree char *why = cause_explain(result);

	if (result == 0)
		log_line(log, LOG_LEVEL_INFO, "%s: planned, %" G_GUINT64_FORMAT " bytes, in %.3f s",
			 stream->name, plan_stream_size(plan, STREAM_V1), seconds);
	else if (result == -ECANCELED)
		log_line(log, LOG_LEVEL_INFO, "%s: planning called off after %.3f s", stream->name,
			 seconds);
	else
		log_line(log, LOG_LEVEL_ERROR, "%s: planning failed after %.3f s: %s", stream->name,
			 seconds, why);
}

/* The planner's own, so that it keeps all snapshots whoever leaves.  The
 * sources are not needed any more afterwards.  -ECANCELED: everybody has left
 * already, and taken the pins along. */
static int take_pins(Stream *stream, struct stream_pins *pins)
{
	LOCK_SCOPE(&stream->registry->lock);

	if (!stream->source_pins)
		return -ECANCELED;
	pins->sources = g_steal_pointer(&stream->source_pins);
	if (stream->snapshot_pin >= 0)
		pins->snapshot = fcntl(stream->snapshot_pin, F_DUPFD_CLOEXEC, 0);
	return 0;
}

/* In one step, so that who is woken and leaves at once leaves the plan behind
 * for the next. */
static void finish_planning(Stream *stream, int result, const struct stream_planned *planned,
			    GQueue *leaving)
{
	LOCK_SCOPE(&stream->registry->lock);

	stream->planning = false;
	set_planned(stream, result, planned);
	if (stream->refs == 0)
		retire(stream, leaving);
}

static void *planner_main(void *user)
{
	Stream *stream = user;
	StreamRegistry *registry = stream->registry;
	const int64_t began = g_get_monotonic_time();
	struct stream_pins pins = { .snapshot = -1 };
	struct stream_planned planned = { 0 };
	GQueue leaving = G_QUEUE_INIT;
	int result;

	result = take_pins(stream, &pins);
	if (result == 0)
		result = stream_plan(stream, &pins, &planned);
	autofd_close(&pins.snapshot);
	g_clear_pointer(&pins.sources, g_array_unref);
	log_planned(stream, result, planned.plan, began);
	if (result == 0)
		log_ended(stream, planned.plan);
	finish_planning(stream, result, &planned, &leaving);
	g_queue_clear_full(&leaving, free_stream);
	fs_tell_bad_copies(registry->fs);
	registry_busy_end(registry);
	return NULL;
}

/* With every signal blocked: signals are for the main thread. */
static int start_planner(Stream *stream)
{
	pthread_attr_t attributes;
	sigset_t all, before;
	pthread_t thread;
	int r;

	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r = pthread_create(&thread, &attributes, planner_main, stream);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	return r ? -ENOMEM : 0;
}

static int begin_stream(StreamRegistry *registry, const struct stream_key *key, Stream **ret)
{
	Stream *stream = stream_new(registry, key);
	int r;

	stream->planning = true;
	registry->n_busy++;
	r = start_planner(stream);
	if (r) {
		registry->n_busy--;
		stream_free(stream);
		return r;
	}
	*ret = stream;
	return 0;
}

static int find_or_begin(StreamRegistry *registry, const struct stream_key *key, int *snapshot_pin,
			 GArray **source_pins, Stream **ret)
{
	LOCK_SCOPE(&registry->lock);
	Stream *stream = find_in_use(registry, key);
	int r = 0;

	if (stream) {
		stream->refs++;
		*ret = stream;
		return 0;
	}
	stream = take_idle(registry, key);
	if (!stream)
		r = begin_stream(registry, key, &stream);
	if (r)
		return r;
	stream->refs = 1;
	stream->snapshot_pin = autofd_steal(snapshot_pin);
	if (stream->planning)
		stream->source_pins = g_steal_pointer(source_pins);
	g_ptr_array_add(registry->in_use, stream);
	*ret = stream;
	return 0;
}

static int pin(StreamRegistry *registry, const Snapshot *snapshot, int *ret_fd)
{
	int r;

	if (!snapshot->read_only)
		return -EPERM;
	r = catalog_pin(registry->catalog, snapshot, ret_fd);
	return r == -ESTALE ? -ENOENT : r;
}

static void close_pin(void *fd)
{
	autofd_close(fd);
}

static int pin_source(StreamRegistry *registry, const Snapshot *source, GArray *pins)
{
	int fd = -1;
	int r = pin(registry, source, &fd);

	if (r == 0)
		g_array_append_val(pins, fd);
	return r;
}

static int pin_sources(StreamRegistry *registry, const struct stream_key *key, GArray **ret)
{
	g_autoptr(GArray) pins = g_array_new(FALSE, FALSE, sizeof(int));
	int r = 0;

	g_array_set_clear_func(pins, close_pin);
	if (key->parent)
		r = pin_source(registry, key->parent, pins);
	for (guint i = 0; r == 0 && i < n_clone_sources(key->clone_sources); i++)
		r = pin_source(registry, g_ptr_array_index(key->clone_sources, i), pins);
	if (r == 0)
		*ret = g_steal_pointer(&pins);
	return r;
}

int stream_open(StreamRegistry *registry, const struct stream_key *key, Stream **ret)
{
	AUTOFD int snapshot_pin = -1;
	g_autoptr(GArray) source_pins = NULL;
	int r = pin(registry, key->snapshot, &snapshot_pin);

	if (r == 0)
		r = pin_sources(registry, key, &source_pins);
	if (r == 0)
		r = find_or_begin(registry, key, &snapshot_pin, &source_pins, ret);
	return r;
}

Stream *stream_ref(Stream *stream)
{
	LOCK_SCOPE(&stream->registry->lock);
	stream->refs++;
	return stream;
}

/* Takes one reference away; the pins to close and the streams to free go to
 * the caller, to be done without the lock. */
static void release(Stream *stream, int *snapshot_pin, GArray **source_pins, GQueue *leaving)
{
	StreamRegistry *registry = stream->registry;
	LOCK_SCOPE(&registry->lock);

	if (--stream->refs > 0)
		return;
	g_ptr_array_remove_fast(registry->in_use, stream);
	*snapshot_pin = autofd_steal(&stream->snapshot_pin);
	*source_pins = g_steal_pointer(&stream->source_pins);
	if (stream->planning)
		atomic_store(&stream->cancelled, true); /* its thread retires it */
	else
		retire(stream, leaving);
}

void stream_unref(Stream *stream)
{
	AUTOFD int snapshot_pin = -1;
	g_autoptr(GArray) source_pins = NULL;
	GQueue leaving = G_QUEUE_INIT;

	if (!stream)
		return;
	release(stream, &snapshot_pin, &source_pins, &leaving);
	g_queue_clear_full(&leaving, free_stream);
}
