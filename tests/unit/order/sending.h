#pragma once
#include "send/order/sender.h"
#include "send/wire/variant.h"
#include "support/opened.h"

/*
 * Snapshots made from text (support/subvolume.h), and what the sender says
 * about them as text, a command a line:
 *
 *	snapshot | subvol | end
 *	mkfile P	also mkdir, mkfifo, mksock, symlink P to T, mknod P mode dev
 *	rename P -> Q	link NEW to OLD		unlink P	rmdir P
 *	chown P 0:0	chmod P 644		utimes P
 *	truncate P N	write P OFF+LEN		hole P OFF-END size N
 *	clone P OFF+LEN from ID:Q OFF		set P NAME=VALUE	remove P NAME
 *	attr P HEX
 *
 * P is '' for the root directory.
 */
#define SNAPSHOT_ID 300u /* of the snapshot that is sent */
#define PARENT_ID 299u
#define SOURCE_ID 301u /* and up: further clone sources */

struct sending {
	const char *parent;	/* NULL: a full send */
	const char *snapshot;
	const char *sources[32]; /* further clone sources; NULL ends them */
	bool parent_is_no_source;
	bool with_attributes; /* chown, chmod with their values */
	enum stream_variant variant;
};

/* The commands between SUBVOL or SNAPSHOT and END, each with '\n' at its end. */
char *sending_commands(const struct sending *sending);
/* How the sender ends; *ret as far as it came. */
int sending_run(const struct sending *sending, char **ret);

/* The same as @expected? */
void assert_commands(const struct sending *sending, const char *expected);
