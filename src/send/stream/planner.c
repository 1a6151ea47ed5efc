#include "send/stream/internal.h"
#include <errno.h>

#define PLAN_TRIES 8u
#define PAUSE_FIRST_MS 10u
#define PAUSE_STEP_MS 20u

bool stream_may_have_moved(int err)
{
	return err == -ESTALE || err == -EUCLEAN || err == -EBADMSG || err == -EIO || err == -ENOENT;
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

static int run_sender(const Stream *stream, const struct send_root *snapshot,
		      const struct send_root *parent, Plan **ret)
{
	const StreamRegistry *registry = stream->registry;
	g_autoptr(PlanBuilder) builder =
		plan_builder_new(registry->plan_memory_bytes, registry->spill_dir);
	struct send_request request = {
		.fs = registry->fs,
		.snapshot = *snapshot,
		.parent = parent,
		.clone_sources = parent,
		.n_clone_sources = parent ? 1 : 0,
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
	uint64_t snapshot, parent;
};

static int find_roots(const Stream *stream, struct planning *planning, struct send_root *snapshot,
		      struct send_root *parent)
{
	Fs *fs = stream->registry->fs;
	int r = stream_root(fs, stream->snapshot, planning->snapshot, snapshot);

	if (r)
		return r;
	planning->snapshot = snapshot->item.ctransid;
	if (!stream->parent)
		return 0;
	r = stream_root(fs, stream->parent, planning->parent, parent);
	if (r == 0)
		planning->parent = parent->item.ctransid;
	return r;
}

static int try_plan(const Stream *stream, struct planning *planning, struct stream_planned *ret)
{
	struct send_root snapshot, parent;
	Plan *plan;
	int r = find_roots(stream, planning, &snapshot, &parent);

	if (r == 0)
		r = run_sender(stream, &snapshot, stream->parent ? &parent : NULL, &plan);
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
	if (r == 0 && stream->parent)
		r = catalog_settle(catalog, stream->parent, pins->parent);
	return r;
}

int stream_plan(Stream *stream, const struct stream_pins *pins, struct stream_planned *ret)
{
	Fs *fs = stream->registry->fs;
	struct planning planning = { 0 };
	int r = settle(stream, pins);

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
