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

/* Publishes @map, sealed and owned by the volume from then on. */
void volume_set_map(Volume *volume, ChunkMap *map);

/* Adds the chunks of a superblock's array to those that are known, so that a
 * chunk tree can be read.  Errors as of chunk_map_add_array().  Not while
 * another thread puts in place a map. */
int volume_add_chunks(Volume *volume, struct span array, uint32_t sector_size);

/* Whether some range could not be read in any way for want of a device;
 * *ret_devid is that device then. */
bool volume_lacks_device(Volume *volume, uint64_t *ret_devid);

/* How far into device @devid the chunks reach, bytes; 0: not at all. */
uint64_t volume_device_end(Volume *volume, uint64_t devid);

/* In how many ways the bytes at @logical can be had: copies, and with parity
 * rebuilds as well.  0: no chunk is there. */
unsigned volume_copies(Volume *volume, uint64_t logical);

/*
 * Reads [logical, logical + len) in way number @copy (from 0).  The range
 * may cross stripes but must lie within one chunk.
 *   -ENOENT   no chunk covers the range
 *   -ERANGE   there are fewer ways
 *   -ENODEV   the device is missing
 *   -EIO      the device could not be read
 */
int volume_read(Volume *volume, uint64_t logical, unsigned copy, void *buffer, size_t len);

/*
 * Reads @n blocks of @len bytes that follow one another from @logical on, each to
 * its own buffer; neighbours on a device in one request.  Otherwise as
 * volume_read().
 */
int volume_read_blocks(Volume *volume, uint64_t logical, unsigned copy, void *const *blocks,
		       unsigned n, size_t len);

/* For messages: "NAME" of the device that holds that copy, physical offset in
 * *ret_physical; "?" (and 0) if there is none.  The text lives as long as the volume. */
const char *volume_place_name(Volume *volume, uint64_t logical, unsigned copy,
			      uint64_t *ret_physical);
