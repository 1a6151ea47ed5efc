#include "btrfs/fs/devices.h"
#include "btrfs/fs/fs.h"
#include "btrfs/fs/super_scan.h"
#include <errno.h>

/* Superblocks of a commit reach the devices one by one. */
#define SETTLE_TRIES 4u
#define SETTLE_US 20000

struct fs_device {
	char *path;
	ByteSource *source; /* until it is the volume's */
	bool owned;	    /* by the volume */
	struct super super;
};

struct Devices {
	GPtrArray *list; /* struct fs_device */
};

static void device_free(void *user)
{
	struct fs_device *device = user;

	if (!device->owned)
		byte_source_free(device->source);
	g_free(device->path);
	g_free(device);
}

void devices_free(Devices *devices)
{
	if (!devices)
		return;
	g_ptr_array_unref(devices->list);
	g_free(devices);
}

static struct fs_device *device_at(const Devices *devices, guint i)
{
	return g_ptr_array_index(devices->list, i);
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

/* One that the kernel still lists, but that has gone. */
static bool has_gone(const GError *cause)
{
	return cause->code == ENOENT || cause->code == ENXIO || cause->code == ENODEV;
}

static bool scan_device(Devices *devices, const char *path, const struct fs_options *options,
			GError **error)
{
	g_autoptr(GError) cause = NULL;
	struct fs_device *device = g_new0(struct fs_device, 1);
	unsigned n_bad = 0;
	int r;

	device->path = g_strdup(path);
	device->source = byte_source_open(path, &cause);
	if (!device->source) {
		device_free(device);
		if (options->mounted && has_gone(cause)) {
			log_line(options->log, LOG_LEVEL_WARNING, "%s: missing", cause->message);
			return true;
		}
		g_set_error_literal(error, FS_ERROR, cause->code, cause->message);
		return false;
	}
	r = super_scan(device->source, &device->super, &n_bad, &cause);
	if (r < 0) {
		device_free(device);
		return refuse(path, r, cause, error);
	}
	if (n_bad > 0)
		log_line(options->log, LOG_LEVEL_WARNING, "%s: %u of its superblock copies %s bad",
			 path, n_bad, n_bad == 1 ? "is" : "are");
	g_ptr_array_add(devices->list, device);
	return true;
}

/* The file system that is meant: not one that is a seed of it. */
static const struct fs_device *main_device(const Devices *devices)
{
	for (guint i = 0; i < devices->list->len; i++)
		if (!device_at(devices, i)->super.seeding)
			return device_at(devices, i);
	return device_at(devices, 0);
}

static bool is_seed(const struct fs_device *device, const struct super *of)
{
	return !same_file_system(&device->super, of);
}

static bool may_be_seed(const struct super *super, const struct super *of)
{
	return super->seeding && super->node_size == of->node_size &&
	       super->csum_type == of->csum_type;
}

static bool check_belong_together(const Devices *devices, GError **error)
{
	const struct fs_device *first = main_device(devices);

	for (guint i = 0; i < devices->list->len; i++) {
		const struct fs_device *device = device_at(devices, i);

		if (!is_seed(device, &first->super) ||
		    (!first->super.seeding && may_be_seed(&device->super, &first->super)))
			continue;
		g_set_error(error, FS_ERROR, EXDEV, "%s and %s belong to different file systems",
			    first->path, device->path);
		return false;
	}
	return true;
}

static struct super newest_super(const Devices *devices)
{
	struct super newest = main_device(devices)->super;

	for (guint i = 0; i < devices->list->len; i++) {
		const struct fs_device *device = device_at(devices, i);

		if (!is_seed(device, &newest) && device->super.generation > newest.generation)
			newest = device->super;
	}
	return newest;
}

static bool is_behind(const struct fs_device *device, const struct super *newest)
{
	return !is_seed(device, newest) && device->super.generation < newest->generation;
}

/* Reads those again that are behind: a commit may just be being written. */
static struct super settle(const Devices *devices)
{
	struct super newest = newest_super(devices);

	for (unsigned tries = 0; tries < SETTLE_TRIES; tries++) {
		bool any = false;

		for (guint i = 0; i < devices->list->len; i++) {
			struct fs_device *device = device_at(devices, i);
			struct super super;
			unsigned n_bad;

			if (!is_behind(device, &newest))
				continue;
			any = true;
			if (super_scan(device->source, &super, &n_bad, NULL) == 0 &&
			    same_file_system(&super, &newest))
				device->super = super;
		}
		if (!any)
			break;
		newest = newest_super(devices);
		g_usleep(SETTLE_US);
	}
	return newest;
}

/* The other one with the same number, if that is newer. */
static const struct fs_device *newer_twin(const Devices *devices, const struct fs_device *device)
{
	for (guint i = 0; i < devices->list->len; i++) {
		const struct fs_device *other = device_at(devices, i);

		if (other != device && other->super.devid == device->super.devid &&
		    same_file_system(&other->super, &device->super) &&
		    other->super.generation > device->super.generation)
			return other;
	}
	return NULL;
}

static void drop_old_twins(Devices *devices, Log *log)
{
	for (guint i = devices->list->len; i-- > 0;) {
		const struct fs_device *device = device_at(devices, i);
		const struct fs_device *twin = newer_twin(devices, device);

		if (!twin)
			continue;
		log_line(log, LOG_LEVEL_WARNING, "%s: not used: %s is device %" G_GUINT64_FORMAT
			 " as of a later commit", device->path, twin->path, device->super.devid);
		g_ptr_array_remove_index(devices->list, i);
	}
}

static bool add_to_volume(const Devices *devices, Volume *volume, const struct super *newest,
			  Log *log, GError **error)
{
	for (guint i = 0; i < devices->list->len; i++) {
		struct fs_device *device = device_at(devices, i);
		const uint64_t devid = device->super.devid;

		device->owned = true;
		if (volume_add_device(volume, devid, device->path, device->source) < 0) {
			g_set_error(error, FS_ERROR, EEXIST, "%s: device %" G_GUINT64_FORMAT
				    " of the file system is there twice", device->path, devid);
			return false;
		}
		if (!is_behind(device, newest))
			continue;
		log_line(log, LOG_LEVEL_WARNING, "%s: its superblock is of generation %"
			 G_GUINT64_FORMAT ", that of others of %" G_GUINT64_FORMAT
			 ": read where nothing else is left", device->path,
			 device->super.generation, newest->generation);
		volume_set_behind(volume, devid);
	}
	return true;
}

Devices *devices_open(const char *const *paths, size_t n, Volume *volume,
		      const struct fs_options *options, struct super *ret_super, GError **error)
{
	g_autoptr(Devices) devices = g_new0(Devices, 1);
	struct super newest;

	devices->list = g_ptr_array_new_with_free_func(device_free);
	for (size_t i = 0; i < n; i++)
		if (!scan_device(devices, paths[i], options, error))
			return NULL;
	if (devices->list->len == 0) {
		g_set_error(error, FS_ERROR, ENODEV, "no device of the file system is there");
		return NULL;
	}
	if (!check_belong_together(devices, error))
		return NULL;
	newest = settle(devices);
	drop_old_twins(devices, options->log);
	if (!add_to_volume(devices, volume, &newest, options->log, error))
		return NULL;
	*ret_super = newest;
	return g_steal_pointer(&devices);
}

int devices_seeds(const Devices *devices, struct node_format *format, GError **error)
{
	const struct super *own = &main_device(devices)->super;

	for (guint i = 0; i < devices->list->len; i++) {
		const struct fs_device *device = device_at(devices, i);

		if (!is_seed(device, own))
			continue;
		if (format->n_seeds == NODE_SEEDS_MOST) {
			g_set_error(error, FS_ERROR, EOPNOTSUPP, "%s: more than %u seed devices",
				    device->path, NODE_SEEDS_MOST);
			return -EOPNOTSUPP;
		}
		memcpy(format->seed_fsids[format->n_seeds++], device->super.metadata_uuid,
		       sizeof(format->seed_fsids[0]));
	}
	return 0;
}

int devices_rescan(const Devices *devices, const struct super *known, struct super *ret)
{
	struct super newest = { 0 };
	bool found = false;
	int first = 0;

	for (guint i = 0; i < devices->list->len; i++) {
		const struct fs_device *device = device_at(devices, i);
		struct super super;
		unsigned n_bad;
		int r;

		if (is_seed(device, known)) /* never changes */
			continue;
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
		return first ? first : -ENODEV;
	*ret = newest;
	return 0;
}

static const struct fs_device *device_of(const Devices *devices, uint64_t devid)
{
	for (guint i = 0; i < devices->list->len; i++)
		if (device_at(devices, i)->super.devid == devid)
			return device_at(devices, i);
	return NULL;
}

int devices_check(const Devices *devices, const GArray *dev_items, GError **error)
{
	for (guint i = 0; i < dev_items->len; i++) {
		const struct dev_item *item = &g_array_index(dev_items, struct dev_item, i);
		const struct fs_device *device = device_of(devices, item->devid);
		const struct super *super = device ? &device->super : NULL;

		if (!super || (memcmp(super->dev_uuid, item->uuid, sizeof(item->uuid)) == 0 &&
			       memcmp(super->metadata_uuid, item->fsid, sizeof(item->fsid)) == 0))
			continue;
		g_set_error(error, FS_ERROR, EXDEV, "%s is not device %" G_GUINT64_FORMAT
			    " of the file system, which has another UUID", device->path,
			    item->devid);
		return -EXDEV;
	}
	return 0;
}

int devices_check_sizes(const Devices *devices, Volume *volume, GError **error)
{
	for (guint i = 0; i < devices->list->len; i++) {
		const struct fs_device *device = device_at(devices, i);
		const uint64_t size = byte_source_size(device->source);
		const uint64_t end = volume_device_end(volume, device->super.devid);

		if (end <= size)
			continue;
		g_set_error(error, FS_ERROR, EUCLEAN, "%s: truncated: it has %" G_GUINT64_FORMAT
			    " bytes, the file system reaches to %" G_GUINT64_FORMAT,
			    device->path, size, end);
		return -EUCLEAN;
	}
	return 0;
}
