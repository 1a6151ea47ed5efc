#pragma once
#include "btrfs/fs/fs.h"
#include "support/fs_image.h"

/*
 * A file system made in memory, and opened.  What uses this links libfs.
 */
struct opened {
	FsImage *image;
	char *dir, *path;
	Fs *fs; /* NULL before opened_open() */
};

void opened_begin(struct opened *opened);
/* Commits the image and opens it. */
void opened_open(struct opened *opened);
void opened_end(struct opened *opened);

/* Writes the tree of subvolume @id, with its root item, for the next commit. */
void opened_put_subvolume(struct opened *opened, uint64_t id, const ItemSet *items);
