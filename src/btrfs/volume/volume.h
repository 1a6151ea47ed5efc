#pragma once
#include "btrfs/volume/byte_source.h"
#include "btrfs/volume/chunk_map.h"
#include <stdbool.h>

/*
 * The devices of one file system as a single space of logical addresses.
 *
 * Devices are added while the file system opens, by one thread.  Afterwards
 * any thread may read at any time, also while volume_set_map() puts a newer
 * chunk map in the place of the old one.
 */
typedef struct Volume Volume;

Volume *volume_new(void);
void volume_free(Volume *volume); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Volume, volume_free)

/* @name is for messages (copied); @source belongs to the volume from then on.
 * -EEXIST: the device id is there already (and @source is freed). */
int volume_add_device(Volume *volume, uint64_t devid, const char *name, ByteSource *source);
bool volume_has_device(const Volume *volume, uint64_t devid);
/* The device has missed commits: it is read where nothing else is left.  Like
 * volume_add_device(), while the file system opens. */
void volume_set_behind(Volume *volume, uint64_t devid);

/* Publishes @map, sealed and owned by the volume from then on. */
void volume_set_map(Volume *volume, ChunkMap *map);

/* Adds the chunks of a superblock's array to those that are known, so that a
 * chunk tree can be read.  Errors as of chunk_map_add_array().  Not while
 * another thread puts in place a map. */
int volume_add_chunks(Volume *volume, struct span array, uint32_t sector_size);

/* Whether some range could not be read in any way for want of a device: that
 * device, and the type of the range's chunk. */
bool volume_lacks_device(Volume *volume, uint64_t *ret_devid, uint64_t *ret_type);
/* Whether a device is missing that anything is placed on; the first. */
bool volume_misses_device(Volume *volume, uint64_t *ret_devid);

/* How far into device @devid the chunks reach, bytes; 0: not at all. */
uint64_t volume_device_end(Volume *volume, uint64_t devid);

/*
 * In how many ways the bytes at @logical can be had: copies, and rebuilds from
 * parity.  Ways that need a device which is missing do not count, unless there
 * is no other: then it is one, and reading it is -ENODEV.  0: no chunk is there.
 */
unsigned volume_copies(Volume *volume, uint64_t logical);

/*
 * Reads [logical, logical + len) in way number @copy (from 0; the last one
 * where a part of the range has fewer).  The range may cross stripes but must
 * lie within one chunk.
 *   -ENOENT   no chunk covers the range
 *   -ERANGE   there are fewer ways
 *   -ENODEV   the device is missing
 *   -EIO      the device could not be read
 */
int volume_read(Volume *volume, uint64_t logical, unsigned copy, void *buffer, size_t len);

/*
 * Reads @n blocks of @len bytes that follow one another from @logical on, each to
 * its own buffer; neighbours on a device in one request.  NULL stands for a
 * block that nobody wants, of at most BYTE_SOURCE_MOST_UNWANTED bytes.
 * Otherwise as volume_read().
 */
int volume_read_blocks(Volume *volume, uint64_t logical, unsigned copy, void *const *blocks,
		       unsigned n, size_t len);

/* For messages, where that way leads: "NAME (devid 2) at 1048576", "devid 2" if
 * the device is missing, "rebuild 1 from parity".  To be freed. */
char *volume_describe(Volume *volume, uint64_t logical, unsigned copy);
