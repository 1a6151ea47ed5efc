#include "btrfs/fs/fs.h"
#include <errno.h>
#include <linux/btrfs.h>
#include <sys/ioctl.h>

char **fs_mounted_devices(int dirfd, GError **error)
{
	g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
	struct btrfs_ioctl_fs_info_args info = { 0 };

	if (ioctl(dirfd, BTRFS_IOC_FS_INFO, &info) < 0) {
		if (errno == ENOTTY)
			g_set_error(error, FS_ERROR, EINVAL, "not on a btrfs file system");
		else
			g_set_error(error, FS_ERROR, errno, "asking for its devices: %s",
				    g_strerror(errno));
		return NULL;
	}
	for (uint64_t devid = 1; devid <= info.max_id; devid++) {
		struct btrfs_ioctl_dev_info_args device = { .devid = devid };

		if (ioctl(dirfd, BTRFS_IOC_DEV_INFO, &device) < 0) {
			if (errno == ENODEV)
				continue;
			g_set_error(error, FS_ERROR, errno, "asking for its device %" G_GUINT64_FORMAT
				    ": %s", devid, g_strerror(errno));
			return NULL;
		}
		device.path[sizeof(device.path) - 1] = '\0';
		/* Without a path: mounted although it is missing. */
		if (device.path[0] != '\0')
			g_ptr_array_add(paths, g_strdup((const char *)device.path));
	}
	g_ptr_array_add(paths, NULL);
	return (char **)g_ptr_array_free(g_steal_pointer(&paths), FALSE);
}
