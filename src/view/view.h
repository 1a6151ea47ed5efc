#pragma once
#include "send/stream/stream.h"
#include "view/listing.h"
#include "view/node_table.h"
#include <sys/stat.h>
#include <sys/statvfs.h>

/*
 * The snapshots and their pairs as a tree of directories and files, for an
 * adapter that carries the kernel's requests here.  Nodes are named by the
 * ids of node_table.h.
 *
 * Any thread may call anything.  Every failure that a person should know of
 * has been logged when a function returns it, and the value may go to the
 * kernel as it is:
 *   -ENOENT      nothing of that name, or the snapshot is gone
 *   -EPERM       the subvolume is not read-only
 *   -EINVAL      the name can be read in more than one way, or names a clone
 *                source twice, or too many
 *   -EXDEV       names on different file systems
 *   -ESTALE      the snapshot has changed or gone under an open file; look up
 *                the name again
 *   -EIO         damaged beyond every copy, or the plan cannot be made
 *   -EOPNOTSUPP  a format feature that is not supported
 *   -EINTR       the wait for a plan was interrupted
 * and what the system says about itself (-ENOMEM, -EMFILE ...).
 */
typedef struct View View;

struct view_options {
	uid_t uid;
	gid_t gid;
	mode_t umask; /* taken from 0444 (files) and 0555 (directories) */
	Log *log;     /* may be NULL */
};

/* All must outlive the view. */
View *view_new(Fs *fs, Catalog *catalog, StreamRegistry *registry,
	       const struct view_options *options);
/* Every ViewFile must be closed. */
void view_free(View *view); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(View, view_free)

struct view_entry {
	uint64_t id;
	struct stat attributes;
	bool exact; /* false: st_size is not known yet, and is 0 */
};

/* Never waits for a plan.  The entry counts as one lookup. */
int view_lookup(View *view, uint64_t parent_id, const char *name, struct view_entry *ret);
void view_forget(View *view, uint64_t id, uint64_t n);

/* Whether view_attributes() would wait for a plan. */
bool view_waits(View *view, uint64_t id);

/* Waits for the plan if the size of a file depends on it. */
int view_attributes(View *view, uint64_t id, stream_interrupted_fn interrupted, void *user,
		    struct stat *ret);

/* The entries of a directory; see listing.h. */
int view_list(View *view, uint64_t id, Listing **ret);
int view_statfs(View *view, struct statvfs *ret);

/* An open stream or info.  Goes on with what it was opened on, whatever the
 * name means later. */
typedef struct ViewFile ViewFile;

/* Waits for the plan, so that what is wrong shows here.  Where the kernel has
 * not been given the size, the first open gives -ESTALE: the kernel then looks
 * the name up again, is given the size, and comes back.  (Its splice() and
 * mmap() look at the size that they have.) */
int view_open(View *view, uint64_t id, stream_interrupted_fn interrupted, void *user,
	      ViewFile **ret);
void view_file_close(ViewFile *file); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ViewFile, view_file_close)

/*
 * Reads @len bytes at @offset; *ret_len is less only where the file ends.
 * With @may_be_short also before a damaged place, whose error comes with the
 * next read.  (For the page cache a short read is the end of the file.)
 */
int view_file_read(ViewFile *file, uint64_t offset, void *buffer, size_t len, bool may_be_short,
		   size_t *ret_len);

/* SEEK_DATA and SEEK_HOLE: all is data.  -ENXIO at or behind the end. */
int view_file_seek(const ViewFile *file, uint64_t offset, int whence, uint64_t *ret);

/* What the kernel may see of an error from below: see above. */
int view_error(int r);
