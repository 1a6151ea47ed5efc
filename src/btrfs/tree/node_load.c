#include "btrfs/tree/node_load.h"
#include "base/error.h"
#include "btrfs/tree/node_verify.h"
#include <inttypes.h>

/* How much an error tells, when copies fail for several reasons. */
static int telling(int error)
{
	switch (error) {
	case -ENOMEM:
		return 5;
	case -ESTALE:
		return 4;
	case -EUCLEAN:
		return 3;
	case -EBADMSG:
		return 2;
	default:
		return 1;
	}
}

static int load_copy(NodeStore *store, const struct node_want *want, unsigned copy,
		     uint8_t *buffer)
{
	const int r = volume_read(store->volume, want->logical, copy, buffer,
				  store->format.node_size);

	atomic_fetch_add_explicit(&store->requests, 1, memory_order_relaxed);
	if (r == -ENOENT) /* no chunk: -ENOENT is for keys that are not there */
		return -EUCLEAN;
	if (r == -ENOMEM)
		return r;
	if (r < 0)
		return -EIO;
	atomic_fetch_add_explicit(&store->blocks_read, 1, memory_order_relaxed);
	return node_verify(&store->format, want, buffer);
}

static void log_bad_copy(NodeStore *store, const struct node_want *want, unsigned copy, int error)
{
	g_autofree char *name = volume_describe(store->volume, want->logical, copy);

	log_line(store->log, LOG_LEVEL_WARNING,
		 "tree block %" PRIu64 ": copy %u on %s is bad (%s), another is good",
		 want->logical, copy, name, error_text(error));
}

int node_load(NodeStore *store, const struct node_want *want, uint8_t *buffer)
{
	const unsigned copies = volume_copies(store->volume, want->logical);
	int error = -EUCLEAN, first_error = 0;

	for (unsigned copy = 0; copy < copies; copy++) {
		const int r = load_copy(store, want, copy, buffer);

		if (r == 0 && copy > 0)
			log_bad_copy(store, want, 0, first_error);
		if (r == 0)
			return 0;
		if (copy == 0)
			first_error = r;
		if (copy == 0 || telling(r) > telling(error))
			error = r;
	}
	return error;
}
