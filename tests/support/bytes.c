#include "support/bytes.h"

void put_bytes(GByteArray *to, const void *data, size_t len)
{
	if (len)
		g_byte_array_append(to, data, (guint)len);
}

void put_span(GByteArray *to, struct span span)
{
	put_bytes(to, span.data, span.len);
}

void put_u8(GByteArray *to, uint8_t value)
{
	put_bytes(to, &value, 1);
}

void put_le16(GByteArray *to, uint16_t value)
{
	uint8_t bytes[2];

	store_le16(bytes, value);
	put_bytes(to, bytes, sizeof(bytes));
}

void put_le32(GByteArray *to, uint32_t value)
{
	uint8_t bytes[4];

	store_le32(bytes, value);
	put_bytes(to, bytes, sizeof(bytes));
}

void put_le64(GByteArray *to, uint64_t value)
{
	uint8_t bytes[8];

	store_le64(bytes, value);
	put_bytes(to, bytes, sizeof(bytes));
}

void put_zeros(GByteArray *to, size_t len)
{
	for (size_t i = 0; i < len; i++)
		put_u8(to, 0);
}

static uint64_t next_noise(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state * UINT64_C(0x2545f4914f6cdd1d);
}

void fill_noise(void *to, size_t len, uint64_t seed)
{
	uint64_t state = seed * 2 + 1;
	uint8_t *at = to;

	for (size_t i = 0; i < len; i++)
		at[i] = (uint8_t)(next_noise(&state) >> 56);
}

void fill_text(void *to, size_t len, uint64_t seed)
{
	uint64_t state = seed * 2 + 1;
	uint8_t *at = to;

	for (size_t i = 0; i < len; i++)
		at[i] = (uint8_t)"etaoin shrdlu\n"[(next_noise(&state) >> 56) % (i % 3 ? 3 : 14)];
}

uint8_t *copy_exact(struct span bytes)
{
	uint8_t *copy = g_malloc(bytes.len);

	if (bytes.len)
		memcpy(copy, bytes.data, bytes.len);
	return copy;
}

void for_each_damage(struct span good, damage_fn check, void *user)
{
	for (size_t len = 0; len <= good.len; len++) {
		g_autofree uint8_t *copy = copy_exact(span_of(good.data, len));

		check(span_of(copy, len), user);
	}
	for (size_t bit = 0; bit < good.len * 8; bit++) {
		g_autofree uint8_t *copy = copy_exact(good);

		copy[bit / 8] ^= (uint8_t)(1u << bit % 8);
		check(span_of(copy, good.len), user);
	}
}
