/*
 * Lists the snapshots of a btrfs, for debugging and for tests:
 *
 *	fsls [-p PATTERN] [-d DEVICE]... [-n NAME]... [-s] SOURCE
 *
 * SOURCE is a directory of a mounted file system, else a device or an image.
 * -n looks up instead of listing; -s pins each and settles it first.
 * Columns: name, id, otransid, ctransid, generation, ro or rw, name in the
 * stream, path, address and level of its root block, predecessor.
 */
#include "base/autofd.h"
#include "base/error.h"
#include "btrfs/subvol/catalog.h"
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

static char *pattern;
static char **devices, **names;
static gboolean settle;

static const GOptionEntry options[] = {
	{ "pattern", 'p', 0, G_OPTION_ARG_STRING, &pattern, "where snapshots lie", "PATTERN" },
	{ "device", 'd', 0, G_OPTION_ARG_FILENAME_ARRAY, &devices, "a further device", "PATH" },
	{ "name", 'n', 0, G_OPTION_ARG_STRING_ARRAY, &names, "look up", "NAME" },
	{ "settle", 's', 0, G_OPTION_ARG_NONE, &settle, "pin and settle", NULL },
	{ NULL, 0, 0, 0, NULL, NULL, NULL }
};

static int fail(const char *what, int r)
{
	fprintf(stderr, "fsls: %s: %s\n", what, error_text(r));
	return 1;
}

static int pin_and_settle(Catalog *catalog, const Snapshot *snapshot)
{
	AUTOFD int fd = -1;
	int r = catalog_pin(catalog, snapshot, &fd);

	return r < 0 ? r : catalog_settle(catalog, snapshot, fd);
}

static int show(Fs *fs, Catalog *catalog, const Snapshot *snapshot, const GPtrArray *list)
{
	const Snapshot *before = list ? catalog_predecessor(list, snapshot) : NULL;
	struct root_item item;
	struct tree tree;
	int r = settle ? pin_and_settle(catalog, snapshot) : 0;

	if (r == 0)
		r = fs_subvolume(fs, snapshot->id, &item, &tree);
	if (r < 0)
		return fail(snapshot->name, r);
	printf("%s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %s %s %s %" PRIu64 " %u %s\n",
	       snapshot->name, snapshot->id, snapshot->otransid, snapshot->ctransid,
	       snapshot->generation, snapshot->read_only ? "ro" : "rw", snapshot->leaf_name,
	       snapshot->path, tree.logical, tree.level, before ? before->name : "-");
	return 0;
}

static int list_all(Fs *fs, Catalog *catalog)
{
	g_autoptr(GPtrArray) list = NULL;
	int status = 0, r = catalog_list(catalog, &list);

	if (r < 0)
		return fail("list", r);
	for (guint i = 0; i < list->len; i++)
		status |= show(fs, catalog, g_ptr_array_index(list, i), list);
	return status;
}

static int find_all(Fs *fs, Catalog *catalog)
{
	int status = 0;

	for (char **name = names; *name; name++) {
		g_autoptr(Snapshot) snapshot = NULL;
		int r = catalog_find(catalog, *name, &snapshot);

		status |= r < 0 ? fail(*name, r) : show(fs, catalog, snapshot, NULL);
	}
	return status;
}

static char **devices_of(const char *source, int dirfd, GError **error)
{
	g_autoptr(GPtrArray) paths = g_ptr_array_new();

	if (dirfd >= 0)
		return fs_mounted_devices(dirfd, error);
	g_ptr_array_add(paths, g_strdup(source));
	for (char **device = devices; device && *device; device++)
		g_ptr_array_add(paths, g_strdup(*device));
	g_ptr_array_add(paths, NULL);
	return (char **)g_ptr_array_free(g_steal_pointer(&paths), FALSE);
}

static int run(const char *source, Log *log, GError **error)
{
	const struct fs_options fs_options = { .cache_bytes = 16u << 20,
					       .readahead_bytes = 1u << 20,
					       .n_workers = 2,
					       .log = log };
	AUTOFD int dirfd = open(source, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	g_auto(GStrv) paths = devices_of(source, dirfd, error);
	g_autoptr(Catalog) catalog = NULL;
	g_autoptr(Fs) fs = NULL;

	if (!paths)
		return 1;
	fs = fs_open((const char *const *)paths, g_strv_length(paths), &fs_options, error);
	if (!fs)
		return 1;
	catalog = dirfd >= 0 ? catalog_new_mounted(dirfd, pattern, fs, error) :
			       catalog_new_unmounted(fs, pattern, error);
	if (!catalog)
		return 1;
	return names ? find_all(fs, catalog) : list_all(fs, catalog);
}

int main(int argc, char **argv)
{
	g_autoptr(GOptionContext) context = g_option_context_new("SOURCE");
	g_autoptr(Log) log = log_new(LOG_LEVEL_WARNING);
	g_autoptr(GError) error = NULL;
	int status;

	g_option_context_add_main_entries(context, options, NULL);
	if (!g_option_context_parse(context, &argc, &argv, &error) || argc != 2) {
		fprintf(stderr, "fsls: %s\n", error ? error->message : "which SOURCE?");
		return 2;
	}
	status = run(argv[1], log, &error);
	if (error)
		fprintf(stderr, "fsls: %s\n", error->message);
	return status;
}
