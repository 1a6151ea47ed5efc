#pragma once
#include "btrfs/fs/fs.h"

/* One subvolume as the root tree has it. */
struct root_entry {
	uint64_t id;
	struct root_item item;
	uint64_t parent, dirid; /* of its first ROOT_BACKREF */
	char *leaf_name;	/* the name there */
	char *path;		/* from the top level; NULL: not known */
};

/*
 * All subvolumes but the top level that have not been deleted and have a name,
 * by id: an array of struct root_entry that owns them.  Damage on the way from the top level
 * to one of them costs its path, and a line in the log.  Errors of
 * node_store_get(), and -EUCLEAN where the root tree makes no sense.
 */
int root_list_read(Fs *fs, GPtrArray **ret);
