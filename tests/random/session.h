#pragma once
#include "replay.h"
#include <glib.h>

/* What the operations of a history work on. */
struct session {
	const struct replay_options *options;
	GHashTable *held;    /* name -> descriptor, of files kept open */
	char *mount_options; /* for mounting again */
	char *subvolume;     /* the working directory is its root; NULL at first */
};

/* 0, -errno where the operation failed, or SESSION_OVER where no more can be
 * done. */
enum { SESSION_OVER = -100000 };
typedef int (*operation_fn)(struct session *session, char **words);

struct operation {
	const char *name;
	unsigned n_words; /* after the name */
	operation_fn run;
};

/* In operations_names.c, operations_data.c, operations_volume.c; each list
 * ends with a name of NULL. */
extern const struct operation name_operations[];
extern const struct operation data_operations[];
extern const struct operation volume_operations[];

void session_release_all(struct session *session);

/* Content that @seed stands for; a quarter of the seeds gives text that
 * compresses well, a quarter zeros and noise in turns. */
void fill(unsigned char *data, size_t len, guint64 seed);

guint64 number(const char *word);
