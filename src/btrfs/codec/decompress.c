#include "btrfs/codec/decompress.h"
#include <errno.h>
#include <glib.h>
#include <limits.h>
#include <lzo/lzo1x.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

/* Each decoder writes at most @out.len bytes and gives how many. */
struct room {
	uint8_t *data;
	size_t len;
};

static size_t decode_none(struct span in, struct room out)
{
	size_t len = MIN(in.len, out.len);

	if (len)
		memcpy(out.data, in.data, len);
	return len;
}

static void end_inflate(z_stream **stream)
{
	inflateEnd(*stream);
}

static int decode_zlib(struct span in, struct room out, size_t *ret_len)
{
	z_stream stream = { 0 };
	__attribute__((cleanup(end_inflate))) z_stream *ending = &stream;
	int z;

	if (in.len > UINT_MAX || out.len > UINT_MAX)
		return -EUCLEAN;
	stream.next_in = (z_const Bytef *)(uintptr_t)in.data;
	stream.avail_in = (uInt)in.len;
	stream.next_out = out.data;
	stream.avail_out = (uInt)out.len;
	if (inflateInit(&stream) != Z_OK)
		return -ENOMEM;
	z = inflate(&stream, Z_SYNC_FLUSH);
	*ret_len = out.len - stream.avail_out;
	if (z == Z_MEM_ERROR)
		return -ENOMEM;
	if (z == Z_STREAM_END)
		return 0;
	/* Full: the caller wants no more.  Else the end of the stream is missing. */
	return (z == Z_OK || z == Z_BUF_ERROR) && stream.avail_out == 0 ? 0 : -EUCLEAN;
}

static int zstd_errno(size_t code)
{
	return ZSTD_getErrorCode(code) == ZSTD_error_memory_allocation ? -ENOMEM : -EUCLEAN;
}

static void free_zstd(ZSTD_DCtx **context)
{
	ZSTD_freeDCtx(*context);
}

static int decode_zstd(struct span in, struct room out, size_t *ret_len)
{
	__attribute__((cleanup(free_zstd))) ZSTD_DCtx *context = ZSTD_createDCtx();
	ZSTD_inBuffer from = { .src = in.data, .size = in.len };
	ZSTD_outBuffer to = { .dst = out.data, .size = out.len };
	size_t left;

	if (!context)
		return -ENOMEM;
	/* The format's limit: no frame asks for more than 128 KiB of history. */
	left = ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, 17);
	while (!ZSTD_isError(left)) {
		left = ZSTD_decompressStream(context, &to, &from);
		/* Behind the first frame there is padding. */
		if (left == 0 || (!ZSTD_isError(left) && to.pos == to.size)) {
			*ret_len = to.pos;
			return 0;
		}
		if (from.pos == from.size)
			return -EUCLEAN;
	}
	return zstd_errno(left);
}

/*
 * The framing of lzo extents, from the extent's first byte:
 *
 *	total length   4 bytes, counts itself
 *	segment        4 bytes of length, then that many bytes; holds at most a
 *	               sector of data
 *	...
 *
 * Where fewer than 4 bytes of a sector are left the next segment begins in
 * the next sector.
 */
#define LZO_HEADER 4u

struct lzo_frame {
	struct span bytes; /* by the total length */
	size_t at;
	uint32_t sector_size;
};

static int lzo_frame_begin(struct span in, uint32_t sector_size, struct lzo_frame *ret)
{
	size_t total;

	if (in.len < LZO_HEADER)
		return -EUCLEAN;
	total = load_le32(in.data);
	if (total < LZO_HEADER || total > in.len)
		return -EUCLEAN;
	*ret = (struct lzo_frame){
		.bytes = span_of(in.data, total), .at = LZO_HEADER, .sector_size = sector_size
	};
	return 0;
}

/* The next segment's data; an empty span at the end. */
static int lzo_frame_next(struct lzo_frame *frame, struct span *ret)
{
	size_t sector_left = frame->sector_size - frame->at % frame->sector_size;
	size_t total = frame->bytes.len;
	size_t at = frame->at, len;

	if (sector_left < LZO_HEADER)
		at += sector_left;
	if (at >= total) {
		*ret = (struct span){ 0 };
		return 0;
	}
	if (total - at < LZO_HEADER)
		return -EUCLEAN;
	len = load_le32(frame->bytes.data + at);
	at += LZO_HEADER;
	if (len == 0 || len > total - at)
		return -EUCLEAN;
	*ret = span_of(frame->bytes.data + at, len);
	frame->at = at + len;
	return 0;
}

/* Decodes @segment to the end of what @out has, by way of @scratch if it may
 * not fit there. */
static int lzo_segment(struct span segment, struct room scratch, struct room out, size_t *len)
{
	struct room rest = { .data = out.data + *len, .len = out.len - *len };
	struct room to = rest.len < scratch.len ? scratch : rest;
	lzo_uint got = scratch.len;

	if (lzo1x_decompress_safe(segment.data, segment.len, to.data, &got, NULL) != LZO_E_OK)
		return -EUCLEAN;
	got = MIN(got, rest.len);
	if (to.data == scratch.data)
		memcpy(rest.data, scratch.data, got);
	*len += got;
	return 0;
}

static int decode_lzo(struct span in, uint32_t sector_size, struct room out, size_t *ret_len)
{
	g_autofree uint8_t *buffer = g_try_malloc(sector_size);
	struct room scratch = { .data = buffer, .len = sector_size };
	struct lzo_frame frame;
	struct span segment;
	size_t len = 0;
	int r;

	if (!buffer)
		return -ENOMEM;
	r = lzo_frame_begin(in, sector_size, &frame);
	while (r == 0 && len < out.len) {
		r = lzo_frame_next(&frame, &segment);
		if (r || segment.len == 0)
			break;
		r = lzo_segment(segment, scratch, out, &len);
	}
	*ret_len = len;
	return r;
}

int decompress(uint8_t type, struct span in, uint32_t sector_size, void *out, size_t out_len)
{
	struct room room = { .data = out, .len = out_len };
	size_t len = 0;
	int r = 0;

	if (type <= BTRFS_COMPRESS_ZSTD && out_len == 0)
		return 0;
	switch (type) {
	case BTRFS_COMPRESS_NONE:
		len = decode_none(in, room);
		break;
	case BTRFS_COMPRESS_ZLIB:
		r = decode_zlib(in, room, &len);
		break;
	case BTRFS_COMPRESS_LZO:
		r = decode_lzo(in, sector_size, room, &len);
		break;
	case BTRFS_COMPRESS_ZSTD:
		r = decode_zstd(in, room, &len);
		break;
	default:
		r = -EOPNOTSUPP;
	}
	if (r)
		return r;
	if (len < out_len)
		memset(room.data + len, 0, out_len - len);
	return 0;
}
