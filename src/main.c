#include "view/background.h"
#include "view/fuse_mount.h"
#include "view/options.h"
#include "view/source.h"
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

/* All that a mount stands on, each on those before it. */
struct parts {
	Log *log;
	Source source;
	Fs *fs;
	Catalog *catalog;
	FileData *data;
	char *plans_dir;
	StreamRegistry *registry;
	View *view;
	FuseMount *mount;
	int background; /* for background_ready(), or -1 */
};

static void parts_clear(struct parts *parts)
{
	fuse_mount_free(parts->mount);
	view_free(parts->view);
	stream_registry_free(parts->registry);
	g_free(parts->plans_dir);
	file_data_free(parts->data);
	catalog_free(parts->catalog);
	fs_free(parts->fs);
	source_clear(&parts->source);
	log_free(parts->log);
}

/* How the memory of cache=SIZE is shared out. */
struct shares {
	size_t nodes, data, chunks, plan;
};

static struct shares share_out(const Options *options)
{
	const size_t all = (size_t)options->cache_bytes;

	return (struct shares){
		.nodes = all / 16 * 11, .data = all / 8, .chunks = all / 16, .plan = all / 8
	};
}

static bool open_fs(struct parts *parts, const Options *options, GError **error)
{
	const struct shares shares = share_out(options);
	struct fs_options fs_options = {
		.cache_bytes = shares.nodes,
		.readahead_bytes = (size_t)options->readahead_bytes,
		.n_workers = options->n_workers,
		.log = parts->log,
	};

	if (!source_open(options, &parts->source, error))
		return false;
	fs_options.mounted = parts->source.dirfd >= 0;
	/* What the kernel has mounted without a device is read without it. */
	fs_options.degraded = options->degraded || fs_options.mounted;
	parts->fs = fs_open((const char *const *)parts->source.devices,
			    g_strv_length(parts->source.devices), &fs_options, error);
	if (!parts->fs)
		return false;
	parts->catalog = parts->source.dirfd >= 0 ?
				 catalog_new_mounted(parts->source.dirfd, options->pattern,
						     parts->fs, error) :
				 catalog_new_unmounted(parts->fs, options->pattern, error);
	return parts->catalog != NULL;
}

static bool open_streams(struct parts *parts, const Options *options, GError **error)
{
	const struct shares shares = share_out(options);
	struct stream_options stream_options = {
		.cache_bytes = shares.chunks,
		.plan_memory_bytes = shares.plan,
		.log = parts->log,
	};
	const struct view_options view_options = {
		.uid = options->uid,
		.gid = options->gid,
		.umask = options->umask,
		.log = parts->log,
	};

	parts->plans_dir = options_plans_dir(options, error);
	if (!parts->plans_dir)
		return false;
	stream_options.spill_dir = parts->plans_dir;
	parts->data = file_data_new(parts->fs, shares.data);
	parts->registry = stream_registry_new(parts->fs, parts->catalog, parts->data,
					      &stream_options);
	parts->view = view_new(parts->fs, parts->catalog, parts->registry, &view_options);
	return true;
}

static bool open_mount(struct parts *parts, const Options *options, const char *mountpoint,
		       GError **error)
{
	const struct fuse_mount_options mount_options = {
		.library_args = (char *const *)options->library_args->pdata,
		.single_thread = options->single_thread,
		.clone_fd = options->clone_fd,
		.max_threads = options->max_threads,
		.max_idle_threads = options->max_idle_threads,
		.max_read = options->max_read,
		.log = parts->log,
	};

	parts->mount = fuse_mount_new(parts->view, mountpoint, &mount_options, error);
	return parts->mount != NULL;
}

/* Those that end the daemon go to the thread that serves, not to one of those
 * that will be started, which inherit this. */
static void block_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
}

static int complain(const char *text, int status)
{
	fprintf(stderr, "sendfs: %s\n", text);
	return status;
}

static void be_ready(void *user)
{
	struct parts *parts = user;

	if (parts->background < 0)
		return;
	log_to_syslog(parts->log);
	background_ready(parts->background);
}

static int serve(struct parts *parts, const Options *options, const char *mountpoint)
{
	g_autoptr(GError) error = NULL;

	parts->log = log_new(options->debug ? LOG_LEVEL_DEBUG : LOG_LEVEL_INFO);
	block_signals();
	if (!open_fs(parts, options, &error))
		return complain(error->message, EXIT_SOURCE);
	if (!open_streams(parts, options, &error))
		return complain(error->message, EXIT_OPTIONS);
	if (!open_mount(parts, options, mountpoint, &error))
		return complain(error->message, EXIT_MOUNT);
	if (fuse_mount_run(parts->mount, be_ready, parts) < 0)
		return complain("the kernel's requests could not be served", EXIT_SERVE);
	return EXIT_SUCCESS;
}

static int print_version(void)
{
	g_autofree char *library = fuse_mount_version();

	printf("%s\n%s\n", PACKAGE_STRING, library);
	return EXIT_SUCCESS;
}

/*
 * Buffers of a chunk's or a request's size come and go all the time.  By
 * default each would be mapped, cleared by the kernel and unmapped again, which
 * took a third of the time to plan a full send.
 */
#define KEEP_BUFFERS_UP_TO (4 << 20)
#define KEEP_FREE_UP_TO (16 << 20)
#define GROW_BY (1 << 20)

static void tune_allocator(void)
{
	mallopt(M_MMAP_THRESHOLD, KEEP_BUFFERS_UP_TO);
	mallopt(M_TRIM_THRESHOLD, KEEP_FREE_UP_TO);
	mallopt(M_TOP_PAD, GROW_BY);
}

int main(int argc, char **argv)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(Options) options = options_parse(argc, argv, &error);
	g_autofree char *mountpoint = NULL;
	struct parts parts = { .source.dirfd = -1, .background = -1 };
	int status;

	if (!options)
		return complain(error->message, error->code);
	if (options->help)
		return fputs(options_help, stdout) < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
	if (options->version)
		return print_version();
	mountpoint = mountpoint_check(options->mountpoint, &error);
	if (!mountpoint)
		return complain(error->message, EXIT_MOUNT);
	if (!options->foreground) {
		parts.background = background_begin();
		if (parts.background < 0)
			return complain(g_strerror(-parts.background), EXIT_BACKGROUND);
	}
	tune_allocator();
	status = serve(&parts, options, mountpoint);
	parts_clear(&parts);
	return status;
}
