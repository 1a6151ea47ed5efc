#include "btrfs/fs/fs.h"
#include "base/cause.h"
#include "base/error.h"
#include "base/lock.h"
#include "btrfs/fs/chunk_load.h"
#include "btrfs/fs/devices.h"
#include <errno.h>

#define QUEUED_JOBS_MOST 4096u
/* Commits that may overtake one reading of the trees. */
#define TRIES_MOST 5u

G_DEFINE_QUARK(sendfs-fs-error, fs_error)

struct Fs {
	char *path; /* the first device's, for messages */
	Log *log;
	bool degraded;
	Volume *volume;
	Devices *devices;
	Workers *workers;
	NodeStore *nodes;

	pthread_mutex_t lock; /* protects the rest; never held over I/O */
	pthread_cond_t idle;
	bool refreshing; /* one thread at a time reads what is new */
	struct super super;
};

static bool same_root(const struct super_root *a, const struct super_root *b)
{
	return a->logical == b->logical && a->generation == b->generation && a->level == b->level;
}

/* Are the devices there, and whole, as far as the chunks are known? */
static int check_devices(Fs *fs, GError **error)
{
	uint64_t devid = 0;

	if (fs->degraded || !volume_misses_device(fs->volume, &devid))
		return devices_check_sizes(fs->devices, fs->volume, error);
	g_set_error(error, FS_ERROR, ENODEV, "%s: device %" G_GUINT64_FORMAT
		    " of the file system is missing; name it with -o device=PATH, or read"
		    " without it with -o degraded", fs->path, devid);
	return -ENODEV;
}

static void tell_missing(Fs *fs)
{
	uint64_t devid = 0, type = 0;

	if (!volume_misses_device(fs->volume, &devid))
		return;
	if (volume_lacks_device(fs->volume, &devid, &type))
		log_line(fs->log, LOG_LEVEL_WARNING, "%s: device %" G_GUINT64_FORMAT
			 " is missing, and part of what is in profile %s cannot be read without it",
			 fs->path, devid, chunk_profile_name(type));
	else
		log_line(fs->log, LOG_LEVEL_WARNING, "%s: device %" G_GUINT64_FORMAT
			 " is missing; all can be read without it", fs->path, devid);
}

static int check_root_tree(Fs *fs, const struct super *super, GError **error)
{
	const struct node_want want = { .logical = super->root.logical,
					.generation = super->root.generation,
					.level = super->root.level };
	g_autoptr(Node) node = NULL;
	int r = node_store_get(fs->nodes, &want, &node);

	if (r < 0) {
		g_autofree char *why = cause_explain(r);

		g_set_error(error, FS_ERROR, -r, "the root tree cannot be read: %s", why);
	}
	return r;
}

/* What the superblock's array holds is enough to read the chunk tree. */
static int add_system_chunks(Fs *fs, const struct super *super, GError **error)
{
	int r = volume_add_chunks(fs->volume, span_of(super->sys_chunks, super->sys_chunks_len),
				  super->sector_size);

	if (r < 0)
		g_set_error(error, FS_ERROR, -r, "system chunks in the superblock: %s",
			    error_text(r));
	return r;
}

static int load_chunks(Fs *fs, const struct super *super, GError **error)
{
	g_autoptr(GArray) dev_items = g_array_new(FALSE, FALSE, sizeof(struct dev_item));
	g_autoptr(ChunkMap) map = NULL;
	int r;

	r = add_system_chunks(fs, super, error);
	if (r == 0)
		r = chunk_load_tree(super, fs->nodes, dev_items, &map, error);
	if (r == 0)
		r = devices_check(fs->devices, dev_items, error);
	if (r == 0)
		volume_set_map(fs->volume, g_steal_pointer(&map));
	return r;
}

static void publish(Fs *fs, const struct super *super)
{
	LOCK_SCOPE(&fs->lock);
	fs->super = *super;
}

/* The first time: the trees that @super names, or those of a later one. */
static int read_trees(Fs *fs, struct super *super, GError **error)
{
	g_autoptr(GError) cause = NULL;
	int r = 0;

	for (unsigned tries = 0; tries < TRIES_MOST; tries++) {
		const uint64_t generation = super->generation;

		g_clear_error(&cause);
		r = load_chunks(fs, super, &cause);
		if (r == 0)
			r = check_root_tree(fs, super, &cause);
		if (r == 0)
			return 0;
		if (!error_may_be_overtaken(r) || devices_rescan(fs->devices, super, super) < 0 ||
		    super->generation == generation)
			break;
	}
	g_set_error(error, FS_ERROR, -r, "%s: %s", fs->path,
		    cause ? cause->message : error_text(r));
	return r;
}

static int bootstrap(Fs *fs, const struct fs_options *options, struct super *super,
		     GError **error)
{
	struct node_format format = { .node_size = super->node_size,
				      .csum_type = super->csum_type };
	int r;

	memcpy(format.fsid, super->metadata_uuid, sizeof(format.fsid));
	r = devices_seeds(fs->devices, &format, error);
	if (r < 0)
		return r;
	if (options->n_workers > 0)
		fs->workers = workers_new(options->n_workers, QUEUED_JOBS_MOST);
	fs->nodes = node_store_new(fs->volume, &format, options->cache_bytes,
				   options->readahead_bytes, fs->workers, fs->log);
	r = add_system_chunks(fs, super, error);
	if (r < 0) {
		g_prefix_error(error, "%s: ", fs->path);
		return r;
	}
	r = check_devices(fs, error);
	if (r == 0)
		r = read_trees(fs, super, error);
	if (r == 0)
		r = check_devices(fs, error);
	return r;
}

Fs *fs_open(const char *const *paths, size_t n, const struct fs_options *options, GError **error)
{
	g_autoptr(Fs) fs = g_new0(Fs, 1);
	struct super super;

	pthread_mutex_init(&fs->lock, NULL);
	pthread_cond_init(&fs->idle, NULL);
	fs->log = options->log;
	fs->degraded = options->degraded;
	fs->path = g_strdup(n > 0 ? paths[0] : "?");
	fs->volume = volume_new();
	fs->devices = devices_open(paths, n, fs->volume, options, &super, error);
	if (!fs->devices || bootstrap(fs, options, &super, error) < 0)
		return NULL;
	tell_missing(fs);
	publish(fs, &super);
	fs_tell_bad_copies(fs);
	return g_steal_pointer(&fs);
}

void fs_free(Fs *fs)
{
	if (!fs)
		return;
	node_store_free(fs->nodes);
	workers_free(fs->workers);
	devices_free(fs->devices);
	volume_free(fs->volume);
	pthread_cond_destroy(&fs->idle);
	pthread_mutex_destroy(&fs->lock);
	g_free(fs->path);
	g_free(fs);
}

/* Takes up the newest superblock if it is another than the one in use. */
static int refresh_once(Fs *fs)
{
	const struct super old = fs_super(fs);
	struct super super;
	int r;

	r = devices_rescan(fs->devices, &old, &super);
	if (r < 0)
		return r;
	if (super.generation < old.generation ||
	    (super.generation == old.generation && same_root(&super.root, &old.root)))
		return 0;
	if (!same_root(&super.chunk_root, &old.chunk_root)) {
		r = load_chunks(fs, &super, NULL);
		if (r < 0)
			return r;
	}
	r = check_root_tree(fs, &super, NULL);
	if (r == 0)
		publish(fs, &super);
	return r;
}

static void begin_refresh(Fs *fs)
{
	LOCK_SCOPE(&fs->lock);
	while (fs->refreshing)
		pthread_cond_wait(&fs->idle, &fs->lock);
	fs->refreshing = true;
}

static void end_refresh(Fs *fs)
{
	LOCK_SCOPE(&fs->lock);
	fs->refreshing = false;
	pthread_cond_signal(&fs->idle);
}

int fs_refresh(Fs *fs)
{
	int r = 0;

	begin_refresh(fs);
	for (unsigned tries = 0; tries < TRIES_MOST; tries++) {
		r = refresh_once(fs);
		/* Superblocks can be caught half written. */
		if (r == 0 || !error_may_be_overtaken(r))
			break;
	}
	end_refresh(fs);
	if (r == 0)
		node_store_tell_bad(fs->nodes);
	return r;
}

void fs_tell_bad_copies(Fs *fs)
{
	if (node_store_suspects(fs->nodes))
		fs_refresh(fs);
}

struct super fs_super(Fs *fs)
{
	LOCK_SCOPE(&fs->lock);
	return fs->super;
}

Volume *fs_volume(Fs *fs)
{
	return fs->volume;
}

NodeStore *fs_nodes(Fs *fs)
{
	return fs->nodes;
}

Workers *fs_workers(Fs *fs)
{
	return fs->workers;
}

Log *fs_log(Fs *fs)
{
	return fs->log;
}
