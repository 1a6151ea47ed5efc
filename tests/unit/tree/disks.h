#pragma once
#include "btrfs/tree/tree_cursor.h"
#include "support/tree.h"
#include <pthread.h>
#include <stdatomic.h>

/*
 * Two equal disks in memory, each of which holds one copy of all tree blocks,
 * and a store over them.  Reads are counted, can be made to fail, to be slow,
 * to wait.
 */
#define DISKS_N 2u

struct disk {
	struct disks *disks;
	uint8_t *data;
};

struct disks {
	Image *image; /* what both hold when disks_attach() is called */
	struct block_format format;
	struct disk disk[DISKS_N];
	atomic_uint *block_reads; /* by address / node size, of both */
	atomic_int reads_until_failure; /* < 0: never fails */
	atomic_uint delay_us;		/* of every read */
	pthread_mutex_t lock; /* protects the next two */
	pthread_cond_t changed;
	bool holding;
	unsigned n_held; /* reads that wait */
	Volume *volume;
};

struct disks *disks_new(size_t len, uint32_t node_size);
void disks_free(struct disks *disks);
typedef struct disks Disks;
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Disks, disks_free)

/* Puts what is in the image on both disks. */
void disks_attach(struct disks *disks);
void disks_forget_reads(struct disks *disks);
unsigned disks_reads_of(const struct disks *disks, uint64_t logical);
/* The sum, and the greatest of one block. */
unsigned disks_reads(const struct disks *disks);
unsigned disks_most_reads(const struct disks *disks);

/* From now on every read waits, until disks_release(). */
void disks_hold(struct disks *disks);
void disks_release(struct disks *disks);
/* Comes back when @n reads wait. */
void disks_wait_held(struct disks *disks, unsigned n);

struct node_format disks_format(const struct disks *disks);
NodeStore *disks_store(struct disks *disks, size_t cache_bytes, size_t readahead_bytes,
		       Workers *workers);

struct tree disks_tree(NodeStore *store, struct tree_root root);
