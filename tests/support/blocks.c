#include "support/blocks.h"
#include "btrfs/codec/checksum.h"
#include "support/bytes.h"

#define HEADER_LEN 101u
#define ITEM_LEN 25u
#define POINTER_LEN 33u
#define FLAG_WRITTEN UINT64_C(1)
#define FLAG_MIXED_BACKREF (UINT64_C(1) << 56)

struct block_format example_format(uint32_t node_size)
{
	struct block_format format = { .node_size = node_size };

	fill_noise(format.fsid, sizeof(format.fsid), 1);
	fill_noise(format.chunk_tree_uuid, sizeof(format.chunk_tree_uuid), 3);
	return format;
}

bool leaf_fits(const struct block_format *format, size_t n_items, size_t data_len)
{
	return HEADER_LEN + n_items * ITEM_LEN + data_len <= format->node_size;
}

size_t node_pointers_most(const struct block_format *format)
{
	return (format->node_size - HEADER_LEN) / POINTER_LEN;
}

static void store_key(uint8_t *at, const struct key *key)
{
	store_le64(at, key->objectid);
	at[8] = key->type;
	store_le64(at + 9, key->offset);
}

static uint8_t *begin_block(const struct block_format *format, const struct block_head *head,
			    size_t n)
{
	uint8_t *block = g_malloc0(format->node_size);

	memcpy(block + 32, format->fsid, 16);
	store_le64(block + 48, head->logical);
	store_le64(block + 56, FLAG_WRITTEN | FLAG_MIXED_BACKREF);
	memcpy(block + 64, format->chunk_tree_uuid, 16);
	store_le64(block + 80, head->generation);
	store_le64(block + 88, head->owner);
	store_le32(block + 96, (uint32_t)n);
	block[100] = head->level;
	return block;
}

uint8_t *build_leaf(const struct block_format *format, const struct block_head *head,
		    const struct block_item *items, size_t n)
{
	uint8_t *block = begin_block(format, head, n);
	size_t data_at = format->node_size - HEADER_LEN; /* counted from the header's end */

	g_assert_cmpuint(head->level, ==, 0);
	for (size_t i = 0; i < n; i++) {
		uint8_t *slot = block + HEADER_LEN + i * ITEM_LEN;

		g_assert_cmpuint((i + 1) * ITEM_LEN + items[i].data.len, <=, data_at);
		data_at -= items[i].data.len;
		store_key(slot, &items[i].key);
		store_le32(slot + 17, (uint32_t)data_at);
		store_le32(slot + 21, (uint32_t)items[i].data.len);
		if (items[i].data.len)
			memcpy(block + HEADER_LEN + data_at, items[i].data.data,
			       items[i].data.len);
	}
	block_seal(format, block);
	return block;
}

uint8_t *build_node(const struct block_format *format, const struct block_head *head,
		    const struct block_pointer *pointers, size_t n)
{
	uint8_t *block = begin_block(format, head, n);

	g_assert_cmpuint(head->level, >, 0);
	g_assert_cmpuint(n, <=, node_pointers_most(format));
	for (size_t i = 0; i < n; i++) {
		uint8_t *slot = block + HEADER_LEN + i * POINTER_LEN;

		store_key(slot, &pointers[i].key);
		store_le64(slot + 17, pointers[i].logical);
		store_le64(slot + 25, pointers[i].generation);
	}
	block_seal(format, block);
	return block;
}

void block_seal(const struct block_format *format, uint8_t *block)
{
	uint8_t csum[CHECKSUM_MAX_LEN] = { 0 };

	checksum_compute(format->csum_type, block + 32, format->node_size - 32, csum);
	memcpy(block, csum, sizeof(csum));
}
