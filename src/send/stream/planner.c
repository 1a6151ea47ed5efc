#include "base/cause.h"
#include "base/error.h"
#include "send/stream/internal.h"
#include <errno.h>

#define PLAN_TRIES 8u
#define PAUSE_FIRST_MS 10u
#define PAUSE_STEP_MS 20u

bool stream_may_have_moved(int err)
{
	return err == -ENOENT || error_may_be_overtaken(err);
}

int stream_root(Fs *fs, const Snapshot *snapshot, uint64_t ctransid, struct send_root *ret)
{
	struct send_root root = { 0 };
	int r = fs_subvolume(fs, snapshot->id, &root.item, &root.tree);

	if (r)
		return r == -ENOENT ? -ESTALE : r;
	if ((ctransid != 0 && root.item.ctransid != ctransid) ||
	    !(root.item.flags & BTRFS_ROOT_SUBVOL_RDONLY) ||
	    memcmp(root.item.uuid, snapshot->uuid, sizeof(snapshot->uuid)) != 0)
		return -ESTALE;
	*ret = root;
	return 0;
}

/* @sources: as stream_source() has them. */
static int run_sender(const Stream *stream, const struct send_root *snapshot,
		      const GArray *sources, Plan **ret)
{
	const StreamRegistry *registry = stream->registry;
	g_autoptr(PlanBuilder) builder =
		plan_builder_new(registry->plan_memory_bytes, registry->spill_dir);
	struct send_request request = {
		.fs = registry->fs,
		.snapshot = *snapshot,
		.parent = stream->parent ? &g_array_index(sources, struct send_root, 0) : NULL,
		.clone_sources = (const struct send_root *)(const void *)sources->data,
		.n_clone_sources = sources->len,
		.name = span_str(stream->snapshot->leaf_name),
		.cancelled = &stream->cancelled,
	};
	struct command_sink sink;
	int r;

	if (!builder)
		return -ENOMEM;
	sink = plan_builder_sink(builder);
	r = sender_run(&request, &sink);
	return r ? r : plan_builder_finish(builder, ret);
}

/* The ctransids that the first try saw; later ones must see the same. */
struct planning {
	uint64_t snapshot;
	GArray *sources; /* uint64_t, 0 before the first try */
};

static int find_root(Fs *fs, const Snapshot *snapshot, uint64_t *ctransid, struct send_root *ret)
{
	int r = stream_root(fs, snapshot, *ctransid, ret);

	if (r == 0)
		*ctransid = ret->item.ctransid;
	return r;
}

static int find_roots(const Stream *stream, struct planning *planning, struct send_root *snapshot,
		      GArray *sources)
{
	Fs *fs = stream->registry->fs;
	int r = find_root(fs, stream->snapshot, &planning->snapshot, snapshot);

	for (guint i = 0; r == 0 && i < stream_n_sources(stream); i++) {
		struct send_root root;

		r = find_root(fs, stream_source(stream, i),
			      &g_array_index(planning->sources, uint64_t, i), &root);
		if (r == 0)
			g_array_append_val(sources, root);
	}
	return r;
}

static int try_plan(const Stream *stream, struct planning *planning, struct stream_planned *ret)
{
	g_autoptr(GArray) sources = g_array_new(FALSE, FALSE, sizeof(struct send_root));
	struct send_root snapshot;
	Plan *plan;
	int r;

	cause_clear();
	r = find_roots(stream, planning, &snapshot, sources);

	if (r == 0)
		r = run_sender(stream, &snapshot, sources, &plan);
	if (r)
		return r;
	*ret = (struct stream_planned){ .plan = plan,
					.tree = snapshot.tree,
					.ctransid = snapshot.item.ctransid };
	return 0;
}

static void pause_unless_cancelled(const Stream *stream, unsigned ms)
{
	while (ms > 0 && !atomic_load(&stream->cancelled)) {
		const unsigned step = MIN(ms, PAUSE_STEP_MS);

		g_usleep(step * 1000);
		ms -= step;
	}
}

static int settle(const Stream *stream, const struct stream_pins *pins)
{
	Catalog *catalog = stream->registry->catalog;
	int r = fs_refresh(stream->registry->fs);

	if (r == 0)
		r = catalog_settle(catalog, stream->snapshot, pins->snapshot);
	for (guint i = 0; r == 0 && i < stream_n_sources(stream); i++)
		r = catalog_settle(catalog, stream_source(stream, i),
				   g_array_index(pins->sources, int, i));
	return r;
}

int stream_plan(Stream *stream, const struct stream_pins *pins, struct stream_planned *ret)
{
	Fs *fs = stream->registry->fs;
	g_autoptr(GArray) ctransids = g_array_new(FALSE, TRUE, sizeof(uint64_t));
	struct planning planning = { .sources = ctransids };
	int r = settle(stream, pins);

	g_array_set_size(ctransids, stream_n_sources(stream));
	if (r)
		return r;
	for (unsigned tries = 0; tries < PLAN_TRIES; tries++) {
		/* Asked for before the roots are: whatever moves them moves it. */
		const uint64_t generation = fs_super(fs).generation;

		if (atomic_load(&stream->cancelled))
			return -ECANCELED;
		r = try_plan(stream, &planning, ret);
		if (!stream_may_have_moved(r) || fs_refresh(fs) ||
		    fs_super(fs).generation == generation)
			return r;
		pause_unless_cancelled(stream, PAUSE_FIRST_MS << tries);
	}
	return r;
}
