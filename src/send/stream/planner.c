#include "send/stream/internal.h"
#include <errno.h>

#define PLAN_TRIES 8u
#define PAUSE_FIRST_MS 10u
#define PAUSE_STEP_MS 20u

bool stream_may_have_moved(int err)
{
	return err == -ESTALE || err == -EUCLEAN || err == -EBADMSG || err == -EIO || err == -ENOENT;
}

int stream_root(Fs *fs, const Snapshot *snapshot, struct send_root *ret)
{
	struct send_root root = { 0 };
	int r = fs_subvolume(fs, snapshot->id, &root.item, &root.tree);

	if (r)
		return r == -ENOENT ? -ESTALE : r;
	if (root.item.ctransid != snapshot->ctransid ||
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
	g_autoptr(PlanBuilder) builder = plan_builder_new(
		stream->protocol, registry->plan_memory_bytes, registry->spill_dir);
	struct send_request request = {
		.snapshot = *snapshot,
		.parent = parent,
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

static int try_plan(const Stream *stream, Plan **ret, struct tree *ret_tree)
{
	Fs *fs = stream->registry->fs;
	struct send_root snapshot, parent;
	int r = stream_root(fs, stream->snapshot, &snapshot);

	if (r == 0 && stream->parent)
		r = stream_root(fs, stream->parent, &parent);
	if (r == 0)
		r = run_sender(stream, &snapshot, stream->parent ? &parent : NULL, ret);
	if (r == 0)
		*ret_tree = snapshot.tree;
	return r;
}

static void pause_unless_cancelled(const Stream *stream, unsigned ms)
{
	while (ms > 0 && !atomic_load(&stream->cancelled)) {
		const unsigned step = MIN(ms, PAUSE_STEP_MS);

		g_usleep(step * 1000);
		ms -= step;
	}
}

int stream_plan(Stream *stream, Plan **ret, struct tree *ret_tree)
{
	Fs *fs = stream->registry->fs;
	int r = fs_refresh(fs);

	if (r)
		return r;
	for (unsigned tries = 0; tries < PLAN_TRIES; tries++) {
		/* Asked for before the roots are: whatever moves them moves it. */
		const uint64_t generation = fs_super(fs).generation;

		if (atomic_load(&stream->cancelled))
			return -ECANCELED;
		r = try_plan(stream, ret, ret_tree);
		if (!stream_may_have_moved(r) || fs_refresh(fs) ||
		    fs_super(fs).generation == generation)
			return r;
		pause_unless_cancelled(stream, PAUSE_FIRST_MS << tries);
	}
	return r;
}
