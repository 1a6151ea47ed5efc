#pragma once
#include "view/view.h"

/*
 * A view, mounted: carries the requests of the kernel to a View and back.
 */
typedef struct FuseMount FuseMount;

struct fuse_mount_options {
	char *const *library_args; /* for libfuse, NULL-terminated: "-oallow_other", "-d" */
	bool single_thread, clone_fd;
	unsigned max_threads, max_idle_threads;
	unsigned max_read; /* bytes; 0: as the kernel likes */
	Log *log;	   /* may be NULL */
};

/*
 * Called once, from any thread, when the kernel and the mount have come to
 * terms: the view can be used.
 */
typedef void (*fuse_mount_ready_fn)(void *user);

/* Mounts at @mountpoint.  NULL and *error, one line, with nothing mounted. */
FuseMount *fuse_mount_new(View *view, const char *mountpoint,
			  const struct fuse_mount_options *options, GError **error);
/* Unmounts if still mounted; waits for requests that are being served. */
void fuse_mount_free(FuseMount *mount); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FuseMount, fuse_mount_free)

/* Serves until somebody unmounts, or SIGINT, SIGTERM or SIGHUP comes (these
 * are unblocked).  0, or a negative errno if serving broke down. */
int fuse_mount_run(FuseMount *mount, fuse_mount_ready_fn ready, void *user);

/* "FUSE library version ..., kernel interface ..." */
char *fuse_mount_version(void);
