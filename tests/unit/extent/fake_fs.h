#pragma once
#include "btrfs/fs/fs.h"
#include "support/items.h"
#include "support/tree.h"
#include <stdatomic.h>

/*
 * An Fs without an opening: every tree and superblock is what the test says,
 * in an image of two mirrored devices.  Link it before libfs.a, which then
 * has nothing left to give.
 */
#define FAKE_IMAGE_LEN ((size_t)16 * 1024 * 1024)
#define FAKE_SECTOR 4096u
#define FAKE_SUBVOLUME 256u

/* What one superblock leads to. */
struct fake_state {
	uint64_t generation;
	struct tree csum_tree;
	struct tree subvolume;	    /* id 0: there is none */
	struct root_item root_item; /* of it */
};

struct Fs {
	Image *image;
	uint8_t *mirror; /* device 2; equals the image after fake_fs_open() */
	Volume *volume;
	NodeStore *nodes;
	Workers *workers;
	struct block_format format;
	TreeBuilder *builder;
	ItemSet *sums, *items; /* of the checksum tree, of the subvolume */

	/* Reads of device 1 in this range fail. */
	_Atomic uint64_t broken_from, broken_to;
	atomic_uint n_reads, n_refreshes;
	/* Called by fs_refresh() before it does anything; may be NULL. */
	void (*on_refresh)(Fs *fs);

	pthread_mutex_t lock; /* protects the following */
	struct fake_state now, next; /* next.generation 0: there is no next */
};

/* Empty; data is put in, then it is opened.  fs_free() frees it. */
Fs *fake_fs_new(void);

/* Stores @data in whole sectors and gives its address.  @summed: with
 * checksums. */
uint64_t fake_put_data(Fs *fs, struct span data, bool summed);
void fake_put_sums(Fs *fs, uint64_t logical, size_t len);
/* The item of a file, and what it says. */
struct data_place fake_put_extent(Fs *fs, uint64_t ino, uint64_t item_offset,
				  const struct file_extent *extent);

/* Writes the trees of both sets as they are now. */
struct fake_state fake_state(Fs *fs, uint64_t generation);
/* Writes the trees and publishes the first state, of generation 10. */
void fake_fs_open(Fs *fs, unsigned n_workers);
/* What was written to the image since, to the mirror too. */
void fake_fs_sync(Fs *fs);
/* What the next fs_refresh() takes up. */
void fake_set_next(Fs *fs, const struct fake_state *state);
