#pragma once
#include "btrfs/subvol/catalog.h"

/* Subvolumes of a mounted file system, as its kernel tells about them. */

/*
 * Opens the root directory of subvolume @id, wherever it is, through any
 * descriptor of the file system.
 *   -ENOENT   there is none
 *   -EPERM    the caller may not
 */
int kernel_subvol_open(int fd, uint64_t id, int *ret_fd);

/*
 * What the kernel knows of the subvolume whose root directory @fd is; name
 * and path of the result are @name and @path.
 *   -ENOENT   it is no subvolume's root, or a deleted one
 *   -EXDEV    it is on another file system than @fsid
 *   other negative errno of the ioctl
 */
int kernel_subvol_info(int fd, const uint8_t fsid[16], const char *name, const char *path,
		       Snapshot **ret);
