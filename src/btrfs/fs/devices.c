#include "btrfs/fs/devices.h"
#include "btrfs/fs/fs.h"
#include "btrfs/fs/super_scan.h"
#include <errno.h>

struct fs_device {
	char *path;
	uint64_t devid;
	ByteSource *source; /* the volume's */
};

struct Devices {
	GArray *list; /* struct fs_device */
};

static void device_clear(void *user)
{
	struct fs_device *device = user;

	g_free(device->path);
}

void devices_free(Devices *devices)
{
	if (!devices)
		return;
	g_array_unref(devices->list);
	g_free(devices);
}

/* One line that begins with the path, whatever the domain of @cause. */
static bool refuse(const char *path, int err, const GError *cause, GError **error)
{
	if (err == -ENOENT)
		g_set_error(error, FS_ERROR, EINVAL, "%s: not a btrfs", path);
	else
		g_set_error(error, FS_ERROR, -err, "%s: %s", path,
			    cause ? cause->message : g_strerror(-err));
	return false;
}

static bool same_file_system(const struct super *a, const struct super *b)
{
	return memcmp(a->fsid, b->fsid, sizeof(a->fsid)) == 0 && a->node_size == b->node_size &&
	       a->csum_type == b->csum_type;
}

/* Takes in one device; @newest is that of the devices before it. */
static bool add_device(Devices *devices, const char *path, Volume *volume, Log *log,
		       struct super *newest, GError **error)
{
	g_autoptr(GError) cause = NULL;
	ByteSource *source;
	struct fs_device device;
	struct super super;
	unsigned n_bad = 0;
	int r;

	source = byte_source_open(path, &cause);
	if (!source) {
		g_set_error_literal(error, FS_ERROR, cause->code, cause->message);
		return false;
	}
	r = super_scan(source, &super, &n_bad, &cause);
	if (r == 0 && devices->list->len > 0 && !same_file_system(&super, newest)) {
		g_set_error(error, FS_ERROR, EXDEV, "%s and %s belong to different file systems",
			    g_array_index(devices->list, struct fs_device, 0).path, path);
		byte_source_free(source);
		return false;
	}
	if (r < 0) {
		byte_source_free(source);
		return refuse(path, r, cause, error);
	}
	if (volume_add_device(volume, super.devid, path, source) < 0) {
		g_set_error(error, FS_ERROR, EEXIST, "%s: device %" G_GUINT64_FORMAT
			    " of the file system is there twice", path, super.devid);
		return false;
	}
	if (n_bad > 0)
		log_line(log, LOG_LEVEL_WARNING, "%s: %u of its superblock copies %s bad", path,
			 n_bad, n_bad == 1 ? "is" : "are");
	if (devices->list->len > 0 && super.generation != newest->generation)
		log_line(log, LOG_LEVEL_WARNING, "%s: its superblock is of generation %"
			 G_GUINT64_FORMAT ", those before of %" G_GUINT64_FORMAT, path,
			 super.generation, newest->generation);
	if (devices->list->len == 0 || super.generation > newest->generation)
		*newest = super;
	device = (struct fs_device){ g_strdup(path), super.devid, source };
	g_array_append_val(devices->list, device);
	return true;
}

Devices *devices_open(const char *const *paths, size_t n, Volume *volume, Log *log,
		      struct super *ret_super, GError **error)
{
	g_autoptr(Devices) devices = g_new0(Devices, 1);
	struct super newest = { 0 };

	devices->list = g_array_new(FALSE, FALSE, sizeof(struct fs_device));
	g_array_set_clear_func(devices->list, device_clear);
	for (size_t i = 0; i < n; i++)
		if (!add_device(devices, paths[i], volume, log, &newest, error))
			return NULL;
	if (n == 0) {
		g_set_error(error, FS_ERROR, ENODEV, "no device of the file system is there");
		return NULL;
	}
	*ret_super = newest;
	return g_steal_pointer(&devices);
}

int devices_rescan(const Devices *devices, const struct super *known, struct super *ret)
{
	struct super newest = { 0 };
	bool found = false;
	int first = 0;

	for (guint i = 0; i < devices->list->len; i++) {
		struct fs_device *device = &g_array_index(devices->list, struct fs_device, i);
		struct super super;
		unsigned n_bad;
		int r;

		r = super_scan(device->source, &super, &n_bad, NULL);
		if (r == 0 && !same_file_system(&super, known))
			r = -ESTALE;
		if (r < 0)
			first = first ? first : r;
		else if (!found || super.generation > newest.generation)
			newest = super;
		found = found || r == 0;
	}
	if (!found)
		return first;
	*ret = newest;
	return 0;
}

int devices_check_sizes(const Devices *devices, Volume *volume, GError **error)
{
	for (guint i = 0; i < devices->list->len; i++) {
		struct fs_device *device = &g_array_index(devices->list, struct fs_device, i);
		const uint64_t size = byte_source_size(device->source);
		const uint64_t end = volume_device_end(volume, device->devid);

		if (end <= size)
			continue;
		g_set_error(error, FS_ERROR, EUCLEAN, "%s: truncated: it has %" G_GUINT64_FORMAT
			    " bytes, the file system reaches to %" G_GUINT64_FORMAT,
			    device->path, size, end);
		return -EUCLEAN;
	}
	return 0;
}
