#include "view/view.h"
#include "base/error.h"
#include "view/info.h"
#include <inttypes.h>
#include <time.h>

struct View {
	Fs *fs;
	Catalog *catalog;
	StreamRegistry *registry;
	NodeTable *nodes;
	struct view_options options;
	uint8_t fsid[16];
	struct timespec begun;
};

View *view_new(Fs *fs, Catalog *catalog, StreamRegistry *registry,
	       const struct view_options *options)
{
	View *view = g_new0(View, 1);
	const struct super super = fs_super(fs);

	view->fs = fs;
	view->catalog = catalog;
	view->registry = registry;
	view->options = *options;
	memcpy(view->fsid, super.fsid, sizeof(view->fsid));
	view->nodes = node_table_new(view->fsid);
	clock_gettime(CLOCK_REALTIME, &view->begun);
	return view;
}

void view_free(View *view)
{
	if (!view)
		return;
	node_table_free(view->nodes);
	g_free(view);
}

int view_error(int r)
{
	switch (-r) {
	case 0:
	case ENOENT:
	case EPERM:
	case EINVAL:
	case EXDEV:
	case ESTALE:
	case EOPNOTSUPP:
	case EINTR:
	case ENOMEM:
	case EMFILE:
	case ENFILE:
	case EAGAIN:
	case EACCES:
	case ENAMETOOLONG:
	case ENOTDIR:
	case EISDIR:
		return r;
	case ECANCELED:
		return -EINTR;
	default:
		return -EIO;
	}
}

static const char *file_name(const ViewNode *node)
{
	return node->kind == VIEW_INFO ? "info" : variant_name(node->variant);
}

/* --- attributes --- */

static bool is_file(const ViewNode *node)
{
	return node->kind == VIEW_STREAM || node->kind == VIEW_INFO;
}

static bool time_before(const struct disk_time *a, const struct disk_time *b)
{
	/* seconds are signed, whatever the disk calls them */
	if (a->seconds != b->seconds)
		return (int64_t)a->seconds < (int64_t)b->seconds;
	return a->nanoseconds < b->nanoseconds;
}

/* When the snapshot was made or, if later, changed; a stream that has come out
 * otherwise has another time. */
static struct timespec node_time(const View *view, const ViewNode *node)
{
	const Snapshot *snapshot = node->pair.snapshot;
	const struct disk_time *changed;

	if (!snapshot)
		return view->begun;
	changed = time_before(&snapshot->otime, &snapshot->ctime) ? &snapshot->ctime :
								    &snapshot->otime;
	return (struct timespec){ .tv_sec = (time_t)changed->seconds + node->n_replaced,
				  .tv_nsec = changed->nanoseconds };
}

static void fill_attributes(const View *view, const ViewNode *node, struct stat *ret)
{
	const mode_t mode = is_file(node) ? S_IFREG | 0444 : S_IFDIR | 0555;

	*ret = (struct stat){
		.st_ino = node->ino,
		.st_mode = mode & ~view->options.umask,
		/* 1: the number of subdirectories is not known */
		.st_nlink = node->kind == VIEW_DIRECTORY ? 2 : 1,
		.st_uid = view->options.uid,
		.st_gid = view->options.gid,
		.st_blksize = 4096,
	};
	if (is_file(node) && node->ready) {
		ret->st_size = (off_t)node->size;
		ret->st_blocks = (blkcnt_t)(node->size / 512 + (node->size % 512 != 0));
	}
	ret->st_mtim = ret->st_ctim = ret->st_atim = node_time(view, node);
}

/* --- names --- */

static int log_lookup(const View *view, const char *name, int r)
{
	const bool is_probe = r == -ENOENT && name[0] == '.'; /* .git, .hidden ... */

	log_line(view->options.log, is_probe ? LOG_LEVEL_DEBUG : LOG_LEVEL_WARNING, "%s: %s", name,
		 r == -ENOENT ? "no such snapshot" :
		 r == -EINVAL ? "the name can be read in more than one way" :
		 r == -EEXIST ? "a clone source is named twice, or is the parent or the snapshot" :
		 r == -E2BIG  ? "too many clone sources" :
				error_text(r));
	return r == -EEXIST || r == -E2BIG ? -EINVAL : view_error(r);
}

static bool log_writable(const View *view, const char *name, const Snapshot *snapshot)
{
	if (!snapshot || snapshot->read_only)
		return false;
	log_line(view->options.log, LOG_LEVEL_WARNING, "%s: subvolume '%s' is not read-only", name,
		 snapshot->path);
	return true;
}

static int lookup_directory(View *view, const char *name, ViewNode **ret)
{
	g_auto(ViewPair) pair = { 0 };
	struct node_wish wish = { .kind = VIEW_DIRECTORY,
				  .variant = STREAM_V1,
				  .directory = name };
	const int r = view_pair_find(view->catalog, name, &pair);

	if (r < 0)
		return log_lookup(view, name, r);
	if (log_writable(view, name, pair.snapshot) || log_writable(view, name, pair.parent))
		return -EPERM;
	for (guint i = 0; pair.clone_sources && i < pair.clone_sources->len; i++)
		if (log_writable(view, name, g_ptr_array_index(pair.clone_sources, i)))
			return -EPERM;
	wish.pair = &pair;
	*ret = node_table_lookup(view->nodes, &wish);
	return 0;
}

static int lookup_file(View *view, const ViewNode *directory, const char *name, ViewNode **ret)
{
	struct node_wish wish = { .pair = &directory->pair, .directory = directory->directory };

	if (!listing_file_kind(name, &wish.kind, &wish.variant))
		return -ENOENT;
	*ret = node_table_lookup(view->nodes, &wish);
	return 0;
}

static int lookup_node(View *view, uint64_t parent_id, const char *name, ViewNode **ret)
{
	g_autoptr(ViewNode) parent = node_table_get(view->nodes, parent_id);

	if (!parent)
		return -ESTALE;
	switch (parent->kind) {
	case VIEW_ROOT:
		return lookup_directory(view, name, ret);
	case VIEW_DIRECTORY:
		return lookup_file(view, parent, name, ret);
	case VIEW_STREAM:
	case VIEW_INFO:
		break;
	}
	return -ENOTDIR;
}

int view_lookup(View *view, uint64_t parent_id, const char *name, struct view_entry *ret)
{
	g_autoptr(ViewNode) node = NULL;
	const int r = lookup_node(view, parent_id, name, &node);

	if (!node)
		return r;
	ret->id = node->id;
	ret->exact = !is_file(node) || node->ready;
	fill_attributes(view, node, &ret->attributes);
	if (ret->exact)
		node->size_told = true;
	return 0;
}

void view_forget(View *view, uint64_t id, uint64_t n)
{
	node_table_forget(view->nodes, id, n);
}

/* --- plans --- */

static int log_plan(const View *view, const ViewNode *node, int r)
{
	log_line(view->options.log, LOG_LEVEL_ERROR, "%s/%s: cannot be opened: %s", node->directory,
		 file_name(node), error_text(r));
	return view_error(r);
}

/* Of all variants that there are; at least one. */
static int make_info(const View *view, const ViewNode *node, Stream *stream,
		     stream_interrupted_fn interrupted, void *user, char **ret)
{
	struct info_variant variants[STREAM_VARIANTS] = { 0 };
	bool any = false;
	int error = 0;

	for (unsigned variant = 0; variant < STREAM_VARIANTS; variant++) {
		int r = stream_wait(stream, variant, interrupted, user);

		if (r == -EINTR)
			return r;
		if (r < 0) {
			error = error ? error : r;
			continue;
		}
		any = true;
		variants[variant] = (struct info_variant){ true, stream_size(stream, variant),
							   stream_totals(stream, variant) };
	}
	if (!any)
		return error;
	*ret = info_text(view->fsid, &node->pair, variants);
	return 0;
}

/* Makes the size (and text) of the file known; the stream in *ret. */
static int prepare(View *view, ViewNode *node, stream_interrupted_fn interrupted, void *user,
		   Stream **ret)
{
	const struct stream_key key = { node->pair.snapshot, node->pair.parent,
					node->pair.clone_sources };
	g_autoptr(Stream) stream = NULL;
	char *text = NULL;
	uint64_t size;
	int r = stream_open(view->registry, &key, &stream);

	if (r < 0)
		return log_plan(view, node, r);
	if (node->kind == VIEW_INFO)
		r = make_info(view, node, stream, interrupted, user, &text);
	else
		r = stream_wait(stream, node->variant, interrupted, user);
	if (r < 0)
		return view_error(r); /* logged where it failed */
	size = text ? strlen(text) : stream_size(stream, node->variant);
	if (!view_node_settle(node, size, stream_digest(stream), text))
		return log_plan(view, node, -ESTALE);
	*ret = g_steal_pointer(&stream);
	return 0;
}

bool view_waits(View *view, uint64_t id)
{
	g_autoptr(ViewNode) node = node_table_get(view->nodes, id);

	return node && is_file(node) && !node->ready;
}

int view_attributes(View *view, uint64_t id, stream_interrupted_fn interrupted, void *user,
		    struct stat *ret)
{
	g_autoptr(ViewNode) node = node_table_get(view->nodes, id);
	g_autoptr(Stream) stream = NULL;
	int r;

	if (!node)
		return -ESTALE;
	if (is_file(node) && !node->ready) {
		r = prepare(view, node, interrupted, user, &stream);
		if (r < 0)
			return r;
	}
	fill_attributes(view, node, ret);
	node->size_told = true;
	return 0;
}

/* --- directories --- */

int view_list(View *view, uint64_t id, Listing **ret)
{
	g_autoptr(ViewNode) node = node_table_get(view->nodes, id);
	g_autoptr(GPtrArray) snapshots = NULL;
	int r;

	if (!node)
		return -ESTALE;
	if (is_file(node))
		return -ENOTDIR;
	if (node->kind == VIEW_DIRECTORY) {
		*ret = listing_new_pair(view->nodes, &node->pair, node->ino);
		return 0;
	}
	r = catalog_list(view->catalog, &snapshots);
	if (r < 0) {
		log_line(view->options.log, LOG_LEVEL_ERROR, "the snapshots cannot be listed: %s",
			 error_text(r));
		return view_error(r);
	}
	*ret = listing_new_root(view->fsid, snapshots);
	return 0;
}

int view_statfs(View *view, struct statvfs *ret)
{
	const struct super super = fs_super(view->fs);
	const uint64_t block = super.sector_size ? super.sector_size : 4096;
	const uint64_t used = MIN(super.bytes_used, super.total_bytes);

	/* Nothing can be written, so nothing is available; what is not used
	 * counts as free, as df computes "used" from it. */
	*ret = (struct statvfs){
		.f_bsize = block,
		.f_frsize = block,
		.f_blocks = super.total_bytes / block,
		.f_bfree = (super.total_bytes - used) / block,
		.f_namemax = 1024, /* FUSE's own; a pair is many names in one */
	};
	return 0;
}

/* --- open files --- */

struct ViewFile {
	View *view;
	ViewNode *node;
	Stream *stream; /* NULL for info */
	_Atomic uint64_t bytes_read;
	_Atomic uint64_t failed_at; /* the offset last complained of, plus 1 */
};

static int open_node(View *view, ViewNode *node, stream_interrupted_fn interrupted, void *user,
		     Stream **ret)
{
	g_autoptr(Stream) stream = NULL;
	int r;

	if (node->kind == VIEW_INFO && node->ready)
		return 0;
	r = prepare(view, node, interrupted, user, &stream);
	if (r < 0)
		return r;
	if (node->kind == VIEW_STREAM)
		*ret = g_steal_pointer(&stream);
	return 0;
}

int view_open(View *view, uint64_t id, stream_interrupted_fn interrupted, void *user,
	      ViewFile **ret)
{
	g_autoptr(ViewNode) node = node_table_get(view->nodes, id);
	g_autoptr(Stream) stream = NULL;
	ViewFile *file;
	int r;

	if (!node)
		return -ESTALE;
	if (!is_file(node))
		return -EISDIR;
	r = open_node(view, node, interrupted, user, &stream);
	if (r < 0)
		return r;
	if (!atomic_exchange(&node->size_told, true))
		return -ESTALE;
	if (stream)
		log_line(view->options.log, LOG_LEVEL_INFO, "%s/%s: opened, %" PRIu64 " bytes",
			 node->directory, file_name(node), node->size);
	file = g_new0(ViewFile, 1);
	file->view = view;
	file->node = g_steal_pointer(&node);
	file->stream = g_steal_pointer(&stream);
	*ret = file;
	return 0;
}

void view_file_close(ViewFile *file)
{
	if (!file)
		return;
	if (file->stream)
		log_line(file->view->options.log, LOG_LEVEL_INFO,
			 "%s/%s: closed, %" PRIu64 " bytes read", file->node->directory,
			 file_name(file->node), (uint64_t)file->bytes_read);
	stream_unref(file->stream);
	view_node_unref(file->node);
	g_free(file);
}

/*
 * Damage has been logged with the file it is in.  The kernel asks again for
 * what failed, a page at a time: one line for an offset does.
 */
static int log_read(ViewFile *file, uint64_t offset, int r)
{
	const bool is_news = atomic_exchange(&file->failed_at, offset + 1) != offset + 1;

	log_line(file->view->options.log,
		 r == -EIO || !is_news ? LOG_LEVEL_DEBUG : LOG_LEVEL_ERROR,
		 "%s/%s: read failed at offset %" PRIu64 ": %s", file->node->directory,
		 file_name(file->node), offset, error_text(r));
	return view_error(r);
}

static int read_whole(ViewFile *file, uint64_t offset, uint8_t *buffer, size_t len, size_t *done)
{
	while (*done < len) {
		size_t got = 0;
		int r = stream_read(file->stream, file->node->variant, offset + *done, buffer + *done,
				    len - *done, &got);

		if (r == 0 && got == 0)
			r = -EIO;
		if (r < 0)
			return r;
		*done += got;
	}
	return 0;
}

int view_file_read(ViewFile *file, uint64_t offset, void *buffer, size_t len, bool may_be_short,
		   size_t *ret_len)
{
	const ViewNode *node = file->node;
	size_t done = 0;
	int r;

	if (offset >= node->size) {
		*ret_len = 0;
		return 0;
	}
	len = (size_t)MIN((uint64_t)len, node->size - offset);
	if (!file->stream) {
		memcpy(buffer, node->text + offset, len);
		*ret_len = len;
		return 0;
	}
	r = read_whole(file, offset, buffer, len, &done);
	if (r < 0 && !(may_be_short && done > 0))
		return log_read(file, offset + done, r);
	file->bytes_read += done;
	*ret_len = done;
	return 0;
}

int view_file_seek(const ViewFile *file, uint64_t offset, int whence, uint64_t *ret)
{
	const uint64_t size = file->node->size;

	if (whence != SEEK_DATA && whence != SEEK_HOLE)
		return -EINVAL;
	if (offset >= size)
		return -ENXIO;
	*ret = whence == SEEK_DATA ? offset : size;
	return 0;
}
