#include "send/plan/block.h"

#define POSITION_AT (8u * STREAM_VARIANTS)

void block_put_table_entry(uint8_t at[BLOCK_TABLE_ENTRY], const struct per_variant *offset,
			   uint32_t position)
{
	for (unsigned variant = 0; variant < STREAM_VARIANTS; variant++)
		store_le64(at + 8 * (size_t)variant, offset->of[variant]);
	store_le32(at + POSITION_AT, position);
}

static uint64_t entry_offset(const struct block *block, unsigned variant, uint32_t i)
{
	if (i == block->n_segments)
		return block->stream_len.of[variant];
	return load_le64(block->table + (size_t)i * BLOCK_TABLE_ENTRY + 8 * (size_t)variant);
}

static size_t entry_position(const struct block *block, uint32_t i)
{
	return i < block->n_segments ?
		       load_le32(block->table + (size_t)i * BLOCK_TABLE_ENTRY + POSITION_AT) :
		       block->records.len;
}

int block_open(struct span bytes, const struct per_variant *stream_len, struct block *ret)
{
	uint32_t n;
	size_t table_len;

	if (bytes.len < BLOCK_TAIL)
		return -EUCLEAN;
	n = load_le32(bytes.data + bytes.len - BLOCK_TAIL);
	if (n == 0 || n > (bytes.len - BLOCK_TAIL) / BLOCK_TABLE_ENTRY)
		return -EUCLEAN;
	table_len = (size_t)n * BLOCK_TABLE_ENTRY;
	*ret = (struct block){
		.records = span_of(bytes.data, bytes.len - BLOCK_TAIL - table_len),
		.table = bytes.data + bytes.len - BLOCK_TAIL - table_len,
		.n_segments = n,
		.stream_len = *stream_len,
	};
	return 0;
}

/* In some streams a segment stands for nothing. */
static bool offsets_rise(const struct block *block, unsigned variant)
{
	if (entry_offset(block, variant, 0) != 0)
		return false;
	for (uint32_t i = 0; i < block->n_segments; i++)
		if (entry_offset(block, variant, i) > entry_offset(block, variant, i + 1))
			return false;
	return true;
}

int block_check(const struct block *block)
{
	if (entry_position(block, 0) != 0)
		return -EUCLEAN;
	for (uint32_t i = 0; i < block->n_segments; i++)
		if (entry_position(block, i) >= entry_position(block, i + 1))
			return -EUCLEAN;
	for (unsigned variant = 0; variant < STREAM_VARIANTS; variant++)
		if (!offsets_rise(block, variant))
			return -EUCLEAN;
	return 0;
}

struct segment block_find(const struct block *block, enum stream_variant variant, uint64_t offset)
{
	uint32_t low = 0, high = block->n_segments;

	while (high - low > 1) {
		const uint32_t middle = low + (high - low) / 2;

		if (entry_offset(block, variant, middle) <= offset)
			low = middle;
		else
			high = middle;
	}
	return (struct segment){
		.offset = entry_offset(block, variant, low),
		.len = entry_offset(block, variant, low + 1) - entry_offset(block, variant, low),
		.records = span_of(block->records.data + entry_position(block, low),
				   entry_position(block, low + 1) - entry_position(block, low)),
	};
}
