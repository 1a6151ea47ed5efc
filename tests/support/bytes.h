#pragma once
#include "base/span.h"
#include <glib.h>

/* Bytes put together piece by piece; integers little-endian. */
void put_u8(GByteArray *to, uint8_t value);
void put_le16(GByteArray *to, uint16_t value);
void put_le32(GByteArray *to, uint32_t value);
void put_le64(GByteArray *to, uint64_t value);
void put_bytes(GByteArray *to, const void *data, size_t len);
void put_span(GByteArray *to, struct span span);
void put_zeros(GByteArray *to, size_t len);

static inline struct span span_of_bytes(const GByteArray *bytes)
{
	return span_of(bytes->data, bytes->len);
}

/* The same bytes for the same @seed, not compressible. */
void fill_noise(void *to, size_t len, uint64_t seed);
/* The same bytes for the same @seed, compressible. */
void fill_text(void *to, size_t len, uint64_t seed);

/* A copy in memory of exactly that length, so that the address sanitizer
 * sees every step outside.  Owned by the caller. */
uint8_t *copy_exact(struct span bytes);

/*
 * Calls @check for every truncation of @good (0 bytes up to all of them) and
 * for every single flipped bit, each in memory of its exact length.
 */
typedef void (*damage_fn)(struct span damaged, void *user);
void for_each_damage(struct span good, damage_fn check, void *user);
