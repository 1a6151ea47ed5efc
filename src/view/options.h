#pragma once
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The command line, read.  One thread.
 */
typedef struct Options {
	bool help, version; /* then nothing else counts */
	bool foreground, debug, single_thread, clone_fd;
	char *source, *mountpoint;
	char *pattern;	    /* NULL: as the catalog likes */
	GPtrArray *devices; /* char *, further ones */
	bool degraded;
	uint64_t cache_bytes, readahead_bytes;
	unsigned n_workers;
	char *plans; /* a directory, "none", or NULL: not said */
	uid_t uid;
	gid_t gid;
	mode_t umask;
	char *fsname; /* NULL: the source */
	unsigned max_read, max_threads, max_idle_threads;
	GPtrArray *library_args; /* char *, NULL-terminated; for libfuse */
} Options;

/* What libfuse's programs exit with. */
enum exit_status {
	EXIT_OPTIONS = 1,
	EXIT_NO_MOUNTPOINT = 2, /* none was named */
	EXIT_SOURCE = 3,
	EXIT_MOUNT = 4,
	EXIT_BACKGROUND = 5,
	EXIT_SERVE = 7,
};

/* NULL and *error, one line; error->code is the exit status. */
Options *options_parse(int argc, char **argv, GError **error);
void options_free(Options *options); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Options, options_free)

extern const char options_help[];

/* "123", "8M": bytes, K M G T being powers of 1024.  False: not a size. */
bool options_size(const char *text, uint64_t *ret);

/* The directory for what outgrows memory, made if it is not there: what
 * plans= names, or by default below /var/cache or the user's own cache, or at
 * last $TMPDIR.  NULL and *error only where a directory was named. */
char *options_plans_dir(const Options *options, GError **error);
