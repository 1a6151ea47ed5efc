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
/* Puts other items into a leaf of the open image, in place, and opens it anew. */
void opened_change_leaf(struct opened *opened, const struct block_head *leaf,
			const ItemSet *items);
void opened_end(struct opened *opened);
