#include "btrfs/subvol/catalog.h"
#include "base/lock.h"
#include "btrfs/subvol/catalog_private.h"
#include "btrfs/subvol/root_list.h"
#include "btrfs/subvol/snapshot.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/btrfs.h>
#include <sys/ioctl.h>
#include <unistd.h>

static void free_pattern(void *pattern)
{
	pattern_free(pattern);
}

static Catalog *catalog_new(Fs *fs, const char *pattern, GError **error)
{
	static const char *const usual[] = { "*", "*/snapshot" };
	const char *const *texts = pattern ? &pattern : usual;
	g_autoptr(Catalog) catalog = g_new0(Catalog, 1);

	catalog->fs = fs;
	catalog->dirfd = -1;
	catalog->patterns = g_ptr_array_new_with_free_func(free_pattern);
	pthread_mutex_init(&catalog->lock, NULL);
	for (size_t i = 0; i < (pattern ? 1 : G_N_ELEMENTS(usual)); i++) {
		struct pattern *parsed = pattern_new(texts[i], error);

		if (!parsed)
			return NULL;
		g_ptr_array_add(catalog->patterns, parsed);
	}
	return g_steal_pointer(&catalog);
}

Catalog *catalog_new_unmounted(Fs *fs, const char *pattern, GError **error)
{
	return catalog_new(fs, pattern, error);
}

Catalog *catalog_new_mounted(int dirfd, const char *pattern, Fs *fs, GError **error)
{
	g_autoptr(Catalog) catalog = catalog_new(fs, pattern, error);
	struct btrfs_ioctl_fs_info_args info = { 0 };
	const struct super super = fs_super(fs);

	if (!catalog)
		return NULL;
	if (ioctl(dirfd, BTRFS_IOC_FS_INFO, &info) < 0 ||
	    memcmp(info.fsid, super.fsid, sizeof(info.fsid)) != 0) {
		g_set_error(error, FS_ERROR, EXDEV,
			    "the directory is not on the file system of the devices");
		return NULL;
	}
	catalog->dirfd = fcntl(dirfd, F_DUPFD_CLOEXEC, 0);
	if (catalog->dirfd < 0) {
		g_set_error(error, FS_ERROR, errno, "%s", g_strerror(errno));
		return NULL;
	}
	return g_steal_pointer(&catalog);
}

void catalog_free(Catalog *catalog)
{
	if (!catalog)
		return;
	if (catalog->dirfd >= 0)
		close(catalog->dirfd);
	g_ptr_array_unref(catalog->patterns);
	if (catalog->roots)
		g_ptr_array_unref(catalog->roots);
	pthread_mutex_destroy(&catalog->lock);
	g_free(catalog);
}

/* The path in which '/' is written "%2F" and '%' "%25"; NULL: not a plain one. */
static char *path_of_name(const char *name)
{
	g_autoptr(GString) path = g_string_new(NULL);

	if (strchr(name, '/'))
		return NULL;
	for (const char *at = name; *at; at++) {
		const bool slash = g_ascii_strncasecmp(at, "%2F", 3) == 0;

		if (slash || strncmp(at, "%25", 3) == 0) {
			g_string_append_c(path, slash ? '/' : '%');
			at += 2;
		} else {
			g_string_append_c(path, *at);
		}
	}
	return is_plain_path(path->str) ? g_string_free(g_steal_pointer(&path), FALSE) : NULL;
}

static bool id_of_name(const char *name, uint64_t *ret)
{
	return g_ascii_isdigit(name[0]) &&
	       g_ascii_string_to_unsigned(name, 10, 1, UINT64_MAX, ret, NULL);
}

static bool uuid_of_name(const char *name, uint8_t ret[16])
{
	size_t n = 0;

	if (!g_uuid_string_is_valid(name))
		return false;
	for (const char *at = name; *at; at++) {
		if (*at == '-')
			continue;
		ret[n / 2] = (uint8_t)(ret[n / 2] << 4 | g_ascii_xdigit_value(*at));
		n++;
	}
	return true;
}

static GPtrArray *known_roots(Catalog *catalog, uint64_t generation)
{
	LOCK_SCOPE(&catalog->lock);
	if (!catalog->roots || catalog->generation != generation)
		return NULL;
	return g_ptr_array_ref(catalog->roots);
}

static void keep_roots(Catalog *catalog, uint64_t generation, GPtrArray *roots)
{
	g_autoptr(GPtrArray) old = NULL;

	LOCK_SCOPE(&catalog->lock);
	old = catalog->roots;
	catalog->roots = g_ptr_array_ref(roots);
	catalog->generation = generation;
}

int catalog_roots(Catalog *catalog, GPtrArray **ret)
{
	const uint64_t generation = fs_super(catalog->fs).generation;
	GPtrArray *roots = known_roots(catalog, generation);
	int r = 0;

	if (!roots) {
		r = root_list_read(catalog->fs, &roots);
		if (r == 0)
			keep_roots(catalog, generation, roots);
	}
	if (r == 0)
		*ret = roots;
	return r;
}

static Snapshot *snapshot_of_root(const struct root_entry *entry, const char *name)
{
	g_autofree char *unknown = g_strdup_printf("(subvolume %" G_GUINT64_FORMAT ")", entry->id);
	Snapshot *snapshot = snapshot_new(name, entry->path ? entry->path : unknown,
					  entry->leaf_name);

	snapshot->id = entry->id;
	snapshot->generation = entry->item.generation;
	snapshot->ctransid = entry->item.ctransid;
	snapshot->otransid = entry->item.otransid;
	memcpy(snapshot->uuid, entry->item.uuid, 16);
	memcpy(snapshot->parent_uuid, entry->item.parent_uuid, 16);
	memcpy(snapshot->received_uuid, entry->item.received_uuid, 16);
	snapshot->otime = entry->item.otime;
	snapshot->ctime = entry->item.ctime;
	snapshot->read_only = entry->item.flags & BTRFS_ROOT_SUBVOL_RDONLY;
	return snapshot;
}

int unmounted_find_id(Catalog *catalog, const char *name, uint64_t id, Snapshot **ret)
{
	g_autoptr(GPtrArray) roots = NULL;
	int r = catalog_roots(catalog, &roots);

	if (r < 0)
		return r;
	for (guint i = 0; i < roots->len; i++) {
		const struct root_entry *entry = g_ptr_array_index(roots, i);

		if (entry->id != id)
			continue;
		*ret = snapshot_of_root(entry, name);
		return 0;
	}
	return -ENOENT;
}

int unmounted_find_uuid(Catalog *catalog, const char *name, const uint8_t uuid[16],
			Snapshot **ret)
{
	g_autoptr(GPtrArray) roots = NULL;
	int r = catalog_roots(catalog, &roots);

	if (r < 0)
		return r;
	for (guint i = 0; i < roots->len; i++) {
		const struct root_entry *entry = g_ptr_array_index(roots, i);

		if (memcmp(entry->item.uuid, uuid, 16) != 0)
			continue;
		*ret = snapshot_of_root(entry, name);
		return 0;
	}
	return -ENOENT;
}

static int find_path(Catalog *catalog, const char *name, const char *path, Snapshot **ret)
{
	g_autoptr(GPtrArray) roots = NULL;
	int r = catalog_roots(catalog, &roots);

	if (r < 0)
		return r;
	for (guint i = 0; i < roots->len; i++) {
		const struct root_entry *entry = g_ptr_array_index(roots, i);

		if (!entry->path || strcmp(entry->path, path) != 0)
			continue;
		*ret = snapshot_of_root(entry, name);
		return 0;
	}
	return -ENOENT;
}

static const struct name_finders unmounted_finders = {
	.path = find_path,
	.id = unmounted_find_id,
	.uuid = unmounted_find_uuid,
};

int catalog_find(Catalog *catalog, const char *name, Snapshot **ret)
{
	const struct name_finders *find = catalog->dirfd >= 0 ? &mounted_finders :
								&unmounted_finders;
	g_autofree char *path = path_of_name(name);
	uint8_t uuid[16];
	uint64_t id;
	int r = -ENOENT;

	for (guint i = 0; i < catalog->patterns->len && r == -ENOENT && is_component(name); i++) {
		g_autofree char *full =
			pattern_path(g_ptr_array_index(catalog->patterns, i), name);

		r = find->path(catalog, name, full, ret);
	}
	if (r == -ENOENT && path)
		r = find->path(catalog, name, path, ret);
	if (r == -ENOENT && id_of_name(name, &id))
		r = find->id(catalog, name, id, ret);
	if (r == -ENOENT && uuid_of_name(name, uuid))
		r = find->uuid(catalog, name, uuid, ret);
	return r;
}

static int unmounted_list(Catalog *catalog, GPtrArray *list)
{
	g_autoptr(GPtrArray) roots = NULL;
	int r = catalog_roots(catalog, &roots);

	if (r < 0)
		return r;
	for (guint p = 0; p < catalog->patterns->len; p++)
		for (guint i = 0; i < roots->len; i++) {
			const struct root_entry *entry = g_ptr_array_index(roots, i);
			g_autofree char *name = NULL;

			if (!entry->path || !(entry->item.flags & BTRFS_ROOT_SUBVOL_RDONLY))
				continue;
			name = pattern_match(g_ptr_array_index(catalog->patterns, p), entry->path);
			if (name)
				g_ptr_array_add(list, snapshot_of_root(entry, name));
		}
	return 0;
}

static void free_snapshot(void *snapshot)
{
	snapshot_unref(snapshot);
}

static int by_name(const void *a, const void *b)
{
	const Snapshot *const *first = a, *const *second = b;

	return strcmp((*first)->name, (*second)->name);
}

/* A name that two patterns give is that of the first pattern's: the sort is
 * stable. */
static void sort_unique(GPtrArray *list)
{
	g_ptr_array_sort(list, by_name);
	for (guint i = list->len; i > 1; i--) {
		const Snapshot *here = g_ptr_array_index(list, i - 1);
		const Snapshot *before = g_ptr_array_index(list, i - 2);

		if (strcmp(here->name, before->name) == 0)
			g_ptr_array_remove_index(list, i - 1);
	}
}

int catalog_list(Catalog *catalog, GPtrArray **ret)
{
	g_autoptr(GPtrArray) list = g_ptr_array_new_with_free_func(free_snapshot);
	int r = catalog->dirfd >= 0 ? mounted_list(catalog, list) : unmounted_list(catalog, list);

	if (r < 0)
		return r;
	sort_unique(list);
	*ret = g_steal_pointer(&list);
	return 0;
}
