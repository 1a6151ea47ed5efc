#include "support/compress.h"
#include "btrfs/codec/decompress.h"
#include "support/bytes.h"
#include <lzo/lzo1x.h>
#include <zlib.h>
#include <zstd.h>

#define SECTOR 4096u

static void compress_zlib(struct span data, GByteArray *to)
{
	uLongf len = compressBound(data.len);
	g_autofree uint8_t *buffer = g_malloc(len);

	g_assert_cmpint(compress2(buffer, &len, data.data, data.len, 3), ==, Z_OK);
	put_bytes(to, buffer, len);
}

static void compress_zstd(struct span data, GByteArray *to)
{
	size_t bound = ZSTD_compressBound(data.len);
	g_autofree uint8_t *buffer = g_malloc(bound);
	size_t len = ZSTD_compress(buffer, bound, data.data, data.len, 3);

	g_assert_false(ZSTD_isError(len));
	put_bytes(to, buffer, len);
}

/* The framing: see btrfs/codec/decompress.c. */
static void compress_lzo(struct span data, GByteArray *to)
{
	uint8_t segment[SECTOR + SECTOR / 16 + 64 + 3];
	g_autofree uint8_t *work = g_malloc(LZO1X_1_MEM_COMPRESS);
	lzo_uint len;

	put_le32(to, 0);
	for (size_t at = 0; at < data.len; at += SECTOR) {
		size_t step = MIN(SECTOR, data.len - at);

		if (SECTOR - to->len % SECTOR < 4)
			put_zeros(to, SECTOR - to->len % SECTOR);
		g_assert_cmpint(lzo1x_1_compress(data.data + at, step, segment, &len, work), ==,
				LZO_E_OK);
		put_le32(to, (uint32_t)len);
		put_bytes(to, segment, len);
	}
	store_le32(to->data, to->len);
}

GByteArray *compress_extent(uint8_t type, struct span data)
{
	GByteArray *to = g_byte_array_new();

	switch (type) {
	case BTRFS_COMPRESS_ZLIB:
		compress_zlib(data, to);
		break;
	case BTRFS_COMPRESS_LZO:
		compress_lzo(data, to);
		break;
	case BTRFS_COMPRESS_ZSTD:
		compress_zstd(data, to);
		break;
	default:
		put_span(to, data);
	}
	return to;
}
