#include "btrfs/tree/node_verify.h"
#include "btrfs/codec/checksum.h"

/* Fields of struct btrfs_header (linux/btrfs_tree.h). */
enum {
	HEADER_CSUM_LEN = 32,
	HEADER_FSID = 32,
	HEADER_BYTENR = 48,
	HEADER_GENERATION = 80,
	HEADER_N_ITEMS = 96,
	HEADER_LEVEL = 100,
};

/* Tree blocks begin at multiples of the sector size, of which this is the
 * smallest. */
#define LEAST_SECTOR_SIZE 4096u

static int verify_checksum(const struct node_format *format, const uint8_t *block)
{
	const unsigned len = checksum_len(format->csum_type);
	uint8_t computed[CHECKSUM_MAX_LEN];

	if (len == 0)
		return -EOPNOTSUPP;
	checksum_compute(format->csum_type, block + HEADER_CSUM_LEN,
			 format->node_size - HEADER_CSUM_LEN, computed);
	return memcmp(computed, block, len) == 0 ? 0 : -EBADMSG;
}

static bool is_fsid_of(const struct node_format *format, const uint8_t *fsid)
{
	if (memcmp(fsid, format->fsid, sizeof(format->fsid)) == 0)
		return true;
	for (unsigned i = 0; i < format->n_seeds; i++)
		if (memcmp(fsid, format->seed_fsids[i], sizeof(format->seed_fsids[i])) == 0)
			return true;
	return false;
}

static int verify_identity(const struct node_format *format, const struct node_want *want,
			   const uint8_t *block)
{
	if (!is_fsid_of(format, block + HEADER_FSID))
		return -EUCLEAN;
	if (load_le64(block + HEADER_BYTENR) != want->logical)
		return -EUCLEAN;
	/* Before the level: an address that was freed and given to another
	 * tree holds a block of any level. */
	if (load_le64(block + HEADER_GENERATION) != want->generation)
		return -ESTALE;
	if (block[HEADER_LEVEL] != want->level)
		return -EUCLEAN;
	return 0;
}

static int verify_keys(const Node *node)
{
	struct key last = node_key(node, 0);

	for (unsigned slot = 1; slot < node->n_items; slot++) {
		const struct key key = node_key(node, slot);

		if (key_compare(&last, &key) >= 0)
			return -EUCLEAN;
		last = key;
	}
	return 0;
}

static int verify_pointers(const Node *node)
{
	for (unsigned slot = 0; slot < node->n_items; slot++) {
		const uint64_t logical = node_child_logical(node, slot);

		if (logical == 0 || logical % LEAST_SECTOR_SIZE != 0)
			return -EUCLEAN;
	}
	return 0;
}

/* The bytes of the items fill the block from its end down, without gaps and
 * in the order of the items, and stop short of the array of items. */
static int verify_items(const Node *node)
{
	uint64_t end = node->size - NODE_HEADER_LEN;

	for (unsigned slot = 0; slot < node->n_items; slot++) {
		const uint8_t *at = node_slot(node, slot);
		const uint64_t offset = load_le32(at + 17), len = load_le32(at + 21);

		if (offset + len != end)
			return -EUCLEAN;
		end = offset;
	}
	return end >= (uint64_t)node->n_items * NODE_ITEM_LEN ? 0 : -EUCLEAN;
}

static int verify_contents(const Node *node, const struct node_want *want)
{
	const uint32_t slot_len = node->level ? NODE_POINTER_LEN : NODE_ITEM_LEN;
	int r;

	if (node->n_items > (node->size - NODE_HEADER_LEN) / slot_len)
		return -EUCLEAN;
	if (node->n_items == 0 && node->level > 0)
		return -EUCLEAN;
	r = node_match(node, want);
	if (r < 0 || node->n_items == 0)
		return r;
	r = verify_keys(node);
	if (r < 0)
		return r;
	return node->level ? verify_pointers(node) : verify_items(node);
}

int node_match(const Node *node, const struct node_want *want)
{
	if (node->level != want->level)
		return -EUCLEAN;
	if (!want->has_first_key)
		return 0;
	/* Only the root of an empty tree has no items. */
	if (node->n_items == 0)
		return -EUCLEAN;

	const struct key first = node_key(node, 0);

	return key_compare(&first, &want->first_key) == 0 ? 0 : -EUCLEAN;
}

int node_verify(const struct node_format *format, const struct node_want *want,
		const uint8_t *block)
{
	const Node node = {
		.block = block,
		.size = format->node_size,
		.n_items = load_le32(block + HEADER_N_ITEMS),
		.level = block[HEADER_LEVEL],
	};
	int r;

	r = verify_checksum(format, block);
	if (r < 0)
		return r;
	r = verify_identity(format, want, block);
	if (r < 0)
		return r;
	return verify_contents(&node, want);
}

uint64_t node_block_generation(const uint8_t *block)
{
	return load_le64(block + HEADER_GENERATION);
}

const char *node_fault(const struct node_format *format, const struct node_want *want,
		       const uint8_t *block)
{
	if (verify_checksum(format, block) < 0)
		return "wrong checksum";
	if (!is_fsid_of(format, block + HEADER_FSID))
		return "fsid of another file system";
	if (load_le64(block + HEADER_BYTENR) != want->logical)
		return "a block of another address";
	if (node_block_generation(block) != want->generation)
		return "a block of another generation";
	if (block[HEADER_LEVEL] != want->level)
		return "a block of another level";
	return "wrong contents";
}
