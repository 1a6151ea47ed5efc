#include "btrfs/extent/csum.h"

static struct key csum_key(uint64_t logical)
{
	return KEY(BTRFS_EXTENT_CSUM_OBJECTID, BTRFS_EXTENT_CSUM_KEY, logical);
}

/* To the item that may cover @logical, else to the one behind it. */
static int seek_first(TreeCursor *cursor, uint64_t logical)
{
	const struct key want = csum_key(logical);
	int r = tree_cursor_seek_before(cursor, &want);

	return r == -ENOENT ? tree_cursor_seek(cursor, &want) : r;
}

/* An item holds the checksums of consecutive sectors from its key's offset on. */
static int take_item(const struct sum_format *format, uint64_t begin, struct span item,
		     uint64_t logical, struct sector_sums *sums)
{
	const unsigned sum_len = checksum_len(format->csum_type);
	const uint64_t end = logical + (uint64_t)sums->n * format->sector_size;
	uint64_t item_end, at;

	if (begin % format->sector_size != 0 || item.len % sum_len != 0)
		return -EUCLEAN;
	if (__builtin_mul_overflow((uint64_t)(item.len / sum_len), format->sector_size, &item_end) ||
	    __builtin_add_overflow(item_end, begin, &item_end))
		return -EUCLEAN;
	at = MAX(begin, logical);
	for (; at < MIN(item_end, end); at += format->sector_size) {
		const size_t from = (size_t)((at - begin) / format->sector_size) * sum_len;
		const size_t i = (size_t)((at - logical) / format->sector_size);

		memcpy(sums->sums[i], item.data + from, sum_len);
		sums->n_present += !sums->present[i];
		sums->present[i] = true;
	}
	return 0;
}

int csum_lookup(TreeCursor *cursor, const struct sum_format *format, uint64_t logical, uint32_t n,
		struct sector_sums *ret)
{
	const struct key first = csum_key(0);
	struct key last;
	int r;

	ret->n = n;
	ret->n_present = 0;
	memset(ret->present, 0, n);
	if (__builtin_add_overflow(logical, (uint64_t)n * format->sector_size - 1, &last.offset))
		return -EUCLEAN;
	last = csum_key(last.offset);
	for (r = seek_first(cursor, logical); r == 0; r = tree_cursor_next(cursor)) {
		const struct key key = tree_cursor_key(cursor);

		if (key_compare(&key, &first) < 0)
			continue;
		if (key_compare(&key, &last) > 0)
			return 0;
		r = take_item(format, key.offset, tree_cursor_item(cursor), logical, ret);
		if (r)
			return r;
		if (ret->n_present == n)
			return 0;
	}
	return r == -ENOENT ? 0 : r;
}

bool csum_matches(const struct sector_sums *sums, const struct sum_format *format, uint32_t i,
		  const void *sector)
{
	uint8_t sum[CHECKSUM_MAX_LEN];

	if (!sums->present[i])
		return true;
	checksum_compute(format->csum_type, sector, format->sector_size, sum);
	return memcmp(sum, sums->sums[i], checksum_len(format->csum_type)) == 0;
}
