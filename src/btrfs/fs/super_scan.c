#include "btrfs/fs/super_scan.h"
#include "btrfs/fs/fs.h"
#include <errno.h>

static int super_read(ByteSource *source, unsigned copy, struct super *ret, GError **error)
{
	uint8_t bytes[SUPER_LEN] __attribute__((aligned(4096)));
	int r;

	r = byte_source_read(source, super_offset(copy), bytes, sizeof(bytes));
	if (r < 0) {
		g_set_error(error, FS_ERROR, -r, "the superblock cannot be read");
		return r;
	}
	return super_parse(span_of(bytes, sizeof(bytes)), super_offset(copy), ret, error);
}

static bool same_file_system(const struct super *a, const struct super *b)
{
	return memcmp(a->fsid, b->fsid, sizeof(a->fsid)) == 0 && a->devid == b->devid;
}

int super_scan(ByteSource *source, struct super *ret, unsigned *ret_bad, GError **error)
{
	const uint64_t size = byte_source_size(source);
	g_autoptr(GError) first_error = NULL;
	struct super newest = { 0 };
	bool found = false;
	unsigned n_bad = 0;
	int first = 0;

	for (unsigned copy = 0; copy < SUPER_COPIES; copy++) {
		g_autoptr(GError) why = NULL;
		struct super super;
		int r;

		if (super_offset(copy) + SUPER_LEN > size)
			break;
		r = super_read(source, copy, &super, &why);
		/* Behind a good copy it is a relic of something else. */
		if (r == -EOPNOTSUPP && !found) {
			g_propagate_error(error, g_steal_pointer(&why));
			return r;
		}
		if (r < 0 && !first_error)
			first_error = g_steal_pointer(&why);
		if (r < 0) {
			n_bad++;
			first = first ? first : r;
		} else if (!found || (same_file_system(&super, &newest) &&
				      super.generation > newest.generation)) {
			found = true;
			newest = super;
		}
	}
	if (found) {
		*ret = newest;
		*ret_bad = n_bad;
		return 0;
	}
	if (first == 0) {
		g_set_error(error, FS_ERROR, EUCLEAN, "too small to be a btrfs");
		return -EUCLEAN;
	}
	g_propagate_error(error, g_steal_pointer(&first_error));
	return first;
}
