#pragma once
#include "base/log.h"
#include "btrfs/fs/fs.h"
#include "btrfs/ondisk/super.h"
#include "btrfs/volume/volume.h"

/* The devices of one file system and the superblocks on them. */
typedef struct Devices Devices;

/*
 * Opens @paths, checks that they belong together, and puts them into @volume,
 * which owns what is read from and must outlive the result.  *ret_super: the
 * newest.  NULL and *error (FS_ERROR, names the path) otherwise.
 *
 * Devices of another file system belong to this one if they are seeds that it
 * has grown from; devices_check() makes sure.  Of two that claim the same
 * device id the one that has missed commits is passed over.
 */
Devices *devices_open(const char *const *paths, size_t n, Volume *volume,
		      const struct fs_options *options, struct super *ret_super, GError **error);
void devices_free(Devices *devices); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Devices, devices_free)

/* Enters the file systems of the seeds among them.  -EOPNOTSUPP: too many. */
int devices_seeds(const Devices *devices, struct node_format *format, GError **error);

/* The newest superblock there is now.  -ESTALE: another file system has been
 * made on a device; or the errors of super_parse(), -EIO. */
int devices_rescan(const Devices *devices, const struct super *known, struct super *ret);

/* Refuses devices that are others than the chunk tree has under their numbers.
 * @dev_items: struct dev_item. */
int devices_check(const Devices *devices, const GArray *dev_items, GError **error);

/* Refuses devices that end before the last chunk on them does. */
int devices_check_sizes(const Devices *devices, Volume *volume, GError **error);
