#pragma once
#include "btrfs/codec/decompress.h"
#include "send/wire/encode.h"

/*
 * The streams that one comparison gives: the same commands in the same order,
 * but for holes, attributes of protocol 2, and what follows from them; and with
 * their data in different forms.  docs/stream.md, sections 10 to 12.
 */
enum stream_variant {
	STREAM_V1,	      /* what `btrfs send` writes by default */
	STREAM_V2,	      /* --proto 2 */
	STREAM_V2_COMPRESSED, /* --proto 2 --compressed-data */
	STREAM_NODATA,	      /* --no-data, protocol 1 */
};
#define STREAM_VARIANTS 4u

/* Sets of variants, a bit each. */
#define VARIANT_BIT(variant) (1u << (variant))
#define VARIANTS_ALL 0xfu
#define VARIANTS_PROTOCOL_1 (VARIANT_BIT(STREAM_V1) | VARIANT_BIT(STREAM_NODATA))
#define VARIANTS_PROTOCOL_2 (VARIANT_BIT(STREAM_V2) | VARIANT_BIT(STREAM_V2_COMPRESSED))

/* A number for each variant. */
struct per_variant {
	uint64_t of[STREAM_VARIANTS];
};

static inline enum stream_protocol variant_protocol(enum stream_variant variant)
{
	return VARIANTS_PROTOCOL_2 & VARIANT_BIT(variant) ? STREAM_PROTOCOL_2 : STREAM_PROTOCOL_1;
}

/* The name of the file that it is. */
static inline const char *variant_name(enum stream_variant variant)
{
	static const char *const names[STREAM_VARIANTS] = {
		[STREAM_V1] = "stream",
		[STREAM_V2] = "stream-v2",
		[STREAM_V2_COMPRESSED] = "stream-v2-compressed",
		[STREAM_NODATA] = "stream-nodata",
	};

	return names[variant];
}

/* What a range of a file's data becomes. */
enum data_form {
	DATA_WRITES,  /* WRITEs, all but the last with the most data */
	DATA_ENCODED, /* one ENCODED_WRITE: the extent's bytes as they are stored */
	DATA_NAMED,   /* one UPDATE_EXTENT */
};

/* Of @len bytes of a file, which lie as @place says. */
static inline enum data_form data_form(enum stream_variant variant, uint64_t len,
				       const struct data_place *place)
{
	if (variant == STREAM_NODATA)
		return DATA_NAMED;
	/* The extent goes along as a whole, even where little of it is needed;
	 * but not where that is more than the plain bytes. */
	if (variant == STREAM_V2_COMPRESSED && place->kind != DATA_ZERO &&
	    place->compression != BTRFS_COMPRESS_NONE && place->stored_len <= len)
		return DATA_ENCODED;
	return DATA_WRITES;
}
