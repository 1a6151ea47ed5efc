#pragma once
#include <glib.h>
#include <stdbool.h>

/* What is mounted on a directory, as /proc/self/mountinfo tells. */
struct mountinfo {
	char *type;   /* "fuse.sendfs" */
	char *device; /* "0:52" */
};

typedef struct mountinfo Mountinfo;
void mountinfo_clear(Mountinfo *info);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Mountinfo, mountinfo_clear)

/* The topmost mount on @path, which is absolute and has no symlinks.  False:
 * none. */
bool mountinfo_find(const char *path, Mountinfo *ret);

/* The same in the text of a mountinfo file. */
bool mountinfo_find_in(const char *text, const char *path, Mountinfo *ret);

/* Lets the kernel read @bytes ahead in the mount on @path, where the caller
 * may say so (root may). */
void mountinfo_set_readahead(const char *path, size_t bytes);
