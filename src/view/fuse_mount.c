#define FUSE_USE_VERSION 312
#include "view/fuse_mount.h"
#include "base/autofd.h"
#include "base/slab_pool.h"
#include "view/caller.h"
#include "view/mountinfo.h"
#include "view/waiters.h"
#include <fuse_lowlevel.h>
#include <signal.h>
#include <sys/mman.h>

/* What the kernel reads ahead in a file; its own default is 128 KiB. A request
 * is this long then, and each costs a way to here and back. */
#define KERNEL_READAHEAD (1u << 20)
/* Requests that read ahead, at a time: each takes memory of that size. */
#define BACKGROUND_MOST 16

struct FuseMount {
	View *view;
	struct fuse_mount_options options;
	Waiters *waiters;
	SlabPool *buffers; /* for what is read, KERNEL_READAHEAD long */
	struct fuse_session *session;
	bool mounted, handlers_set;
	fuse_mount_ready_fn ready;
	void *ready_user;
};

/* A node never changes, but a mount whose daemon has died should be seen to
 * be dead.  Names are looked up anew each time: snapshots come and go. */
static const double attributes_hold = 1; /* seconds */
static const double names_hold = 0;

/* --- requests that may wait --- */

struct request {
	FuseMount *mount;
	fuse_req_t req;
	fuse_ino_t ino;
	struct fuse_file_info file;
};

static bool request_interrupted(void *user)
{
	const struct request *request = user;

	return waiters_ending(request->mount->waiters) ||
	       (fuse_req_interrupted(request->req) &&
		caller_must_go(fuse_req_ctx(request->req)->pid));
}

static void serve_getattr(void *job)
{
	g_autofree struct request *request = job;
	struct stat attributes;
	const int r = view_attributes(request->mount->view, request->ino, request_interrupted,
				      request, &attributes);

	if (r < 0)
		fuse_reply_err(request->req, -r);
	else
		fuse_reply_attr(request->req, &attributes, attributes_hold);
}

/*
 * A file that was opened with O_DIRECT is read past the page cache for good:
 * only then may a read be short before a damaged place.  Where the flag alone
 * says so, the kernel fills the rest of a short read through the page cache,
 * and for that a short read is the end of the file.  The lowest bit of the
 * handle, a pointer, remembers it.
 */
#define HANDLE_DIRECT ((uint64_t)1)

static void serve_open(void *job)
{
	g_autofree struct request *request = job;
	const bool direct = request->file.flags & O_DIRECT;
	ViewFile *file = NULL;
	const int r = view_open(request->mount->view, request->ino, request_interrupted, request,
				&file);

	if (r < 0) {
		fuse_reply_err(request->req, -r);
		return;
	}
	request->file.fh = (uint64_t)(uintptr_t)file | (direct ? HANDLE_DIRECT : 0);
	request->file.direct_io = direct;
	request->file.keep_cache = 1;
	if (fuse_reply_open(request->req, &request->file) == -ENOENT)
		view_file_close(file); /* the caller has gone: no release will come */
}

static void serve_apart(fuse_req_t req, fuse_ino_t ino, const struct fuse_file_info *file,
			void (*serve)(void *job))
{
	FuseMount *mount = fuse_req_userdata(req);
	struct request *request = g_new0(struct request, 1);
	int r;

	*request = (struct request){ .mount = mount, .req = req, .ino = ino };
	if (file)
		request->file = *file;
	r = waiters_start(mount->waiters, serve, request);
	if (r == 0)
		return;
	g_free(request);
	fuse_reply_err(req, -r);
}

static void op_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *file)
{
	FuseMount *mount = fuse_req_userdata(req);
	struct request *request;

	(void)file;
	if (view_waits(mount->view, ino)) {
		serve_apart(req, ino, NULL, serve_getattr);
		return;
	}
	request = g_new0(struct request, 1);
	*request = (struct request){ .mount = mount, .req = req, .ino = ino };
	serve_getattr(request);
}

static void op_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *file)
{
	if ((file->flags & O_ACCMODE) != O_RDONLY)
		fuse_reply_err(req, EROFS);
	else
		serve_apart(req, ino, file, serve_open);
}

/* --- names --- */

static void op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	FuseMount *mount = fuse_req_userdata(req);
	struct view_entry entry;
	struct fuse_entry_param reply = { .entry_timeout = names_hold };
	const int r = view_lookup(mount->view, parent, name, &entry);

	if (r < 0) {
		fuse_reply_err(req, -r);
		return;
	}
	reply.ino = entry.id;
	reply.attr = entry.attributes;
	reply.attr_timeout = entry.exact ? attributes_hold : 0;
	if (fuse_reply_entry(req, &reply) == -ENOENT)
		view_forget(mount->view, entry.id, 1);
}

static void op_forget(fuse_req_t req, fuse_ino_t ino, uint64_t n)
{
	FuseMount *mount = fuse_req_userdata(req);

	view_forget(mount->view, ino, n);
	fuse_reply_none(req);
}

static void op_forget_multi(fuse_req_t req, size_t count, struct fuse_forget_data *forgets)
{
	FuseMount *mount = fuse_req_userdata(req);

	for (size_t i = 0; i < count; i++)
		view_forget(mount->view, forgets[i].ino, forgets[i].nlookup);
	fuse_reply_none(req);
}

/* --- files --- */

static ViewFile *file_of(const struct fuse_file_info *file)
{
	return (ViewFile *)(uintptr_t)(file->fh & ~HANDLE_DIRECT);
}

static void reply_read(fuse_req_t req, size_t len, off_t offset, struct fuse_file_info *file,
		       void *buffer)
{
	const bool may_be_short = file->fh & HANDLE_DIRECT;
	size_t got = 0;
	const int r = !buffer ? -ENOMEM :
				view_file_read(file_of(file), (uint64_t)offset, buffer, len,
					       may_be_short, &got);

	if (r < 0)
		fuse_reply_err(req, -r);
	else
		fuse_reply_buf(req, buffer, got);
}

static void op_read(fuse_req_t req, fuse_ino_t ino, size_t len, off_t offset,
		    struct fuse_file_info *file)
{
	FuseMount *mount = fuse_req_userdata(req);
	void *buffer;

	(void)ino;
	if (len > KERNEL_READAHEAD) {
		g_autofree void *large = g_try_malloc(len);

		reply_read(req, len, offset, file, large);
		return;
	}
	buffer = slab_pool_take(mount->buffers);
	reply_read(req, len, offset, file, buffer);
	if (buffer)
		slab_pool_give(mount->buffers, buffer);
}

static void op_lseek(fuse_req_t req, fuse_ino_t ino, off_t offset, int whence,
		     struct fuse_file_info *file)
{
	uint64_t at = 0;
	const int r = offset < 0 ? -ENXIO :
				   view_file_seek(file_of(file), (uint64_t)offset, whence, &at);

	(void)ino;
	if (r < 0)
		fuse_reply_err(req, -r);
	else
		fuse_reply_lseek(req, (off_t)at);
}

static void op_release(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *file)
{
	(void)ino;
	view_file_close(file_of(file));
	fuse_reply_err(req, 0);
}

/* --- directories --- */

static Listing *listing_of(const struct fuse_file_info *file)
{
	return (Listing *)(uintptr_t)file->fh;
}

static void op_opendir(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *file)
{
	FuseMount *mount = fuse_req_userdata(req);
	Listing *listing = NULL;
	const int r = view_list(mount->view, ino, &listing);

	if (r < 0) {
		fuse_reply_err(req, -r);
		return;
	}
	file->fh = (uint64_t)(uintptr_t)listing;
	if (fuse_reply_open(req, file) == -ENOENT)
		listing_free(listing);
}

static void op_readdir(fuse_req_t req, fuse_ino_t ino, size_t len, off_t offset,
		       struct fuse_file_info *file)
{
	const struct listing_entry *entry;
	g_autofree char *buffer = g_try_malloc(len);
	size_t used = 0;

	(void)ino;
	if (!buffer || offset < 0) {
		fuse_reply_err(req, buffer ? EINVAL : ENOMEM);
		return;
	}
	while ((entry = listing_at(listing_of(file), (uint64_t)offset))) {
		const struct stat attributes = {
			.st_ino = entry->ino,
			.st_mode = entry->is_directory ? S_IFDIR : S_IFREG,
		};
		const size_t need = fuse_add_direntry(req, buffer + used, len - used, entry->name,
						      &attributes, ++offset);

		if (need > len - used)
			break;
		used += need;
	}
	fuse_reply_buf(req, buffer, used);
}

static void op_releasedir(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *file)
{
	(void)ino;
	listing_free(listing_of(file));
	fuse_reply_err(req, 0);
}

static void op_statfs(fuse_req_t req, fuse_ino_t ino)
{
	FuseMount *mount = fuse_req_userdata(req);
	struct statvfs numbers;
	const int r = view_statfs(mount->view, &numbers);

	(void)ino;
	if (r < 0)
		fuse_reply_err(req, -r);
	else
		fuse_reply_statfs(req, &numbers);
}

/* --- what would write: the mount is read-only, but can be remounted --- */

static void op_setattr(fuse_req_t req, fuse_ino_t ino, struct stat *attributes, int to_set,
		       struct fuse_file_info *file)
{
	(void)ino, (void)attributes, (void)to_set, (void)file;
	fuse_reply_err(req, EROFS);
}

static void op_mknod(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode, dev_t rdev)
{
	(void)parent, (void)name, (void)mode, (void)rdev;
	fuse_reply_err(req, EROFS);
}

static void op_create(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode,
		      struct fuse_file_info *file)
{
	(void)parent, (void)name, (void)mode, (void)file;
	fuse_reply_err(req, EROFS);
}

static void op_mkdir(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode)
{
	(void)parent, (void)name, (void)mode;
	fuse_reply_err(req, EROFS);
}

static void op_unlink(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	(void)parent, (void)name;
	fuse_reply_err(req, EROFS);
}

static void op_symlink(fuse_req_t req, const char *target, fuse_ino_t parent, const char *name)
{
	(void)target, (void)parent, (void)name;
	fuse_reply_err(req, EROFS);
}

static void op_rename(fuse_req_t req, fuse_ino_t parent, const char *name, fuse_ino_t new_parent,
		      const char *new_name, unsigned flags)
{
	(void)parent, (void)name, (void)new_parent, (void)new_name, (void)flags;
	fuse_reply_err(req, EROFS);
}

static void op_link(fuse_req_t req, fuse_ino_t ino, fuse_ino_t new_parent, const char *new_name)
{
	(void)ino, (void)new_parent, (void)new_name;
	fuse_reply_err(req, EROFS);
}

static void op_setxattr(fuse_req_t req, fuse_ino_t ino, const char *name, const char *value,
			size_t len, int flags)
{
	(void)ino, (void)name, (void)value, (void)len, (void)flags;
	fuse_reply_err(req, EROFS);
}

static void op_removexattr(fuse_req_t req, fuse_ino_t ino, const char *name)
{
	(void)ino, (void)name;
	fuse_reply_err(req, EROFS);
}

/* --- the session --- */

static void op_init(void *user, struct fuse_conn_info *connection)
{
	FuseMount *mount = user;

	/* Contents never change under a node: its pages need no questions.
	 * Attributes are then not asked for on every read. */
	connection->want &= ~(unsigned)FUSE_CAP_AUTO_INVAL_DATA;
	if (connection->capable & FUSE_CAP_EXPLICIT_INVAL_DATA)
		connection->want |= FUSE_CAP_EXPLICIT_INVAL_DATA;
	connection->max_readahead = KERNEL_READAHEAD;
	connection->max_background = BACKGROUND_MOST;
	connection->congestion_threshold = BACKGROUND_MOST * 3 / 4;
	connection->max_read = mount->options.max_read;
	mount->ready(mount->ready_user);
}

static const struct fuse_lowlevel_ops operations = {
	.init = op_init,
	.lookup = op_lookup,
	.forget = op_forget,
	.forget_multi = op_forget_multi,
	.getattr = op_getattr,
	.open = op_open,
	.read = op_read,
	.lseek = op_lseek,
	.release = op_release,
	.opendir = op_opendir,
	.readdir = op_readdir,
	.releasedir = op_releasedir,
	.statfs = op_statfs,
	.setattr = op_setattr,
	.mknod = op_mknod,
	.create = op_create,
	.mkdir = op_mkdir,
	.unlink = op_unlink,
	.rmdir = op_unlink,
	.symlink = op_symlink,
	.rename = op_rename,
	.link = op_link,
	.setxattr = op_setxattr,
	.removexattr = op_removexattr,
};

/* libfuse hands its messages over without saying whose they are. */
static Log *library_log;

static void G_GNUC_PRINTF(2, 0)
	log_library(enum fuse_log_level level, const char *format, va_list args)
{
	g_autofree char *text = g_strdup_vprintf(format, args);

	g_strchomp(text);
	log_line(library_log,
		 level <= FUSE_LOG_ERR	   ? LOG_LEVEL_ERROR :
		 level <= FUSE_LOG_WARNING ? LOG_LEVEL_WARNING :
		 level <= FUSE_LOG_INFO	   ? LOG_LEVEL_INFO :
					     LOG_LEVEL_DEBUG,
		 "%s", text);
}

static struct fuse_session *new_session(FuseMount *mount, const struct fuse_mount_options *options)
{
	struct fuse_args args = FUSE_ARGS_INIT(0, NULL);
	struct fuse_session *session;

	fuse_opt_add_arg(&args, "sendfs");
	for (char *const *arg = options->library_args; arg && *arg; arg++)
		fuse_opt_add_arg(&args, *arg);
	session = fuse_session_new(&args, &operations, sizeof(operations), mount);
	fuse_opt_free_args(&args);
	return session;
}

/*
 * libfuse and fusermount3 say on stderr why they failed.  To make one line of
 * it, stderr is a file in memory meanwhile.
 */
struct said {
	int stderr_fd, file;
};

static void said_begin(struct said *said)
{
	said->stderr_fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	said->file = memfd_create("said", MFD_CLOEXEC);
	if (said->stderr_fd >= 0 && said->file >= 0)
		dup2(said->file, STDERR_FILENO);
}

static char *said_end(const struct said *said)
{
	AUTOFD int stderr_fd = said->stderr_fd;
	AUTOFD int file = said->file;
	char text[1024] = "";
	ssize_t len = 0;

	if (stderr_fd >= 0)
		dup2(stderr_fd, STDERR_FILENO);
	if (file >= 0)
		len = pread(file, text, sizeof(text) - 1, 0);
	text[len > 0 ? len : 0] = '\0';
	return g_strdup(g_strstrip(text));
}

/* The last thing said, without the name of who said it. */
static const char *last_line(char *text)
{
	char *line = strrchr(text, '\n');

	line = line ? line + 1 : text;
	if (g_str_has_prefix(line, "fuse: "))
		return line + strlen("fuse: ");
	if (g_str_has_prefix(line, "fusermount3: "))
		return line + strlen("fusermount3: ");
	return line;
}

static GQuark mount_error(void)
{
	return g_quark_from_static_string("sendfs-mount");
}

static bool begin_session(FuseMount *mount, const char *mountpoint, GError **error)
{
	g_autofree char *text = NULL;
	struct said said;

	said_begin(&said);
	mount->session = new_session(mount, &mount->options);
	if (mount->session)
		mount->mounted = fuse_session_mount(mount->session, mountpoint) == 0;
	text = said_end(&said);
	if (mount->mounted)
		return true;
	g_set_error(error, mount_error(), EIO, "cannot mount at %s: %s", mountpoint,
		    text[0] ? last_line(text) : "libfuse gave no reason");
	return false;
}

FuseMount *fuse_mount_new(View *view, const char *mountpoint,
			  const struct fuse_mount_options *options, GError **error)
{
	g_autoptr(FuseMount) mount = g_new0(FuseMount, 1);

	mount->view = view;
	mount->options = *options;
	mount->waiters = waiters_new();
	mount->buffers = slab_pool_new(KERNEL_READAHEAD);
	if (!begin_session(mount, mountpoint, error))
		return NULL;
	/* before the kernel is answered: it takes the lesser of the two */
	mountinfo_set_readahead(mountpoint, KERNEL_READAHEAD);
	library_log = options->log;
	fuse_set_log_func(log_library);
	mount->handlers_set = fuse_set_signal_handlers(mount->session) == 0;
	if (!mount->handlers_set) {
		g_set_error(error, mount_error(), EIO, "cannot set signal handlers");
		return NULL;
	}
	return g_steal_pointer(&mount);
}

void fuse_mount_free(FuseMount *mount)
{
	if (!mount)
		return;
	waiters_free(mount->waiters); /* first: they hold requests of the session */
	if (mount->handlers_set)
		fuse_remove_signal_handlers(mount->session);
	if (mount->mounted)
		fuse_session_unmount(mount->session);
	if (mount->session)
		fuse_session_destroy(mount->session);
	slab_pool_free(mount->buffers);
	g_free(mount);
}

static void unblock_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

int fuse_mount_run(FuseMount *mount, fuse_mount_ready_fn ready, void *user)
{
	struct fuse_loop_config *config;
	int r;

	mount->ready = ready;
	mount->ready_user = user;
	unblock_signals();
	if (mount->options.single_thread) {
		r = fuse_session_loop(mount->session);
	} else {
		config = fuse_loop_cfg_create();
		fuse_loop_cfg_set_clone_fd(config, mount->options.clone_fd);
		fuse_loop_cfg_set_max_threads(config, mount->options.max_threads);
		fuse_loop_cfg_set_idle_threads(config, mount->options.max_idle_threads);
		r = fuse_session_loop_mt(mount->session, config);
		fuse_loop_cfg_destroy(config);
	}
	waiters_end(mount->waiters);
	return r < 0 ? r : 0; /* above 0: the signal that ended it */
}

char *fuse_mount_version(void)
{
	return g_strdup_printf("FUSE library version %s", fuse_pkgversion());
}
