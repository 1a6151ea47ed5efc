#pragma once
#include "btrfs/subvol/catalog.h"
#include "view/options.h"

/*
 * What SOURCE is, found out: the directory of a mounted btrfs, or a block
 * device or image file.
 */
struct source {
	int dirfd;     /* -1: not mounted */
	char **devices; /* NULL-terminated */
};

typedef struct source Source;
void source_clear(Source *source);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Source, source_clear)

/* False and *error, one line. */
bool source_open(const Options *options, Source *ret, GError **error);

/* The absolute path of a directory where a view can be mounted, to be freed;
 * NULL and *error, one line: it is not there, no directory, not reachable, or
 * a view is mounted there already. */
char *mountpoint_check(const char *path, GError **error);
