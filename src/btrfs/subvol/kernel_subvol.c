#include "btrfs/subvol/kernel_subvol.h"
#include "btrfs/subvol/snapshot.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/btrfs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

/* A file handle of btrfs (kernel fs/btrfs/export.h, include/linux/exportfs.h):
 * inode number, subvolume id, and a generation of 32 bits, 0 for any. */
#define HANDLE_TYPE 0x4d
#define HANDLE_LEN 20u

int kernel_subvol_open(int fd, uint64_t id, int *ret_fd)
{
	union {
		struct file_handle head;
		uint8_t bytes[sizeof(struct file_handle) + HANDLE_LEN];
	} handle = { 0 };
	const uint64_t objectid = BTRFS_FIRST_FREE_OBJECTID;
	int got;

	handle.head.handle_bytes = HANDLE_LEN;
	handle.head.handle_type = HANDLE_TYPE;
	memcpy(handle.head.f_handle, &objectid, sizeof(objectid));
	memcpy(handle.head.f_handle + 8, &id, sizeof(id));
	got = open_by_handle_at(fd, &handle.head, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (got < 0)
		return errno == ESTALE ? -ENOENT : -errno;
	*ret_fd = got;
	return 0;
}

static int check_fsid(int fd, const uint8_t fsid[16])
{
	struct btrfs_ioctl_fs_info_args info = { 0 };

	if (ioctl(fd, BTRFS_IOC_FS_INFO, &info) < 0)
		return errno == ENOTTY ? -EXDEV : -errno;
	return memcmp(info.fsid, fsid, sizeof(info.fsid)) == 0 ? 0 : -EXDEV;
}

static struct disk_time disk_time_of(const struct btrfs_ioctl_timespec *time)
{
	return (struct disk_time){ .seconds = time->sec, .nanoseconds = time->nsec };
}

int kernel_subvol_info(int fd, const uint8_t fsid[16], const char *name, const char *path,
		       Snapshot **ret)
{
	struct btrfs_ioctl_get_subvol_info_args info = { 0 };
	Snapshot *snapshot;
	struct stat st;
	int r;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (st.st_ino != BTRFS_FIRST_FREE_OBJECTID || !S_ISDIR(st.st_mode))
		return -ENOENT;
	r = check_fsid(fd, fsid);
	if (r < 0)
		return r;
	if (ioctl(fd, BTRFS_IOC_GET_SUBVOL_INFO, &info) < 0)
		return -errno;
	info.name[sizeof(info.name) - 1] = '\0';
	snapshot = snapshot_new(name, path, info.name);
	snapshot->id = info.treeid;
	snapshot->generation = info.generation;
	snapshot->ctransid = info.ctransid;
	snapshot->otransid = info.otransid;
	memcpy(snapshot->uuid, info.uuid, sizeof(snapshot->uuid));
	memcpy(snapshot->parent_uuid, info.parent_uuid, sizeof(snapshot->parent_uuid));
	memcpy(snapshot->received_uuid, info.received_uuid, sizeof(snapshot->received_uuid));
	snapshot->otime = disk_time_of(&info.otime);
	snapshot->ctime = disk_time_of(&info.ctime);
	snapshot->read_only = info.flags & BTRFS_ROOT_SUBVOL_RDONLY;
	*ret = snapshot;
	return 0;
}
