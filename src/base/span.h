#pragma once
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <endian.h>

/*
 * Bytes that somebody else owns, and bounded reading of them.
 *
 * A cursor that is asked for more than is left gives zeros (or an empty
 * span), and its error becomes -EUCLEAN and stays: read a whole record, then
 * look at the error once.
 */
struct span {
	const uint8_t *data;
	size_t len; /* bytes */
};

struct cursor {
	const uint8_t *at;
	size_t left; /* bytes */
	int error;   /* 0 or -EUCLEAN */
};

static inline struct span span_of(const void *data, size_t len)
{
	return (struct span){ .data = data, .len = len };
}

static inline struct span span_str(const char *text)
{
	return span_of(text, strlen(text));
}

static inline bool span_equal(struct span a, struct span b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

/* Little-endian values at any alignment. */
static inline uint16_t load_le16(const void *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return le16toh(v);
}

static inline uint32_t load_le32(const void *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return le32toh(v);
}

static inline uint64_t load_le64(const void *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return le64toh(v);
}

static inline void store_le16(void *p, uint16_t v)
{
	v = htole16(v);
	memcpy(p, &v, sizeof(v));
}

static inline void store_le32(void *p, uint32_t v)
{
	v = htole32(v);
	memcpy(p, &v, sizeof(v));
}

static inline void store_le64(void *p, uint64_t v)
{
	v = htole64(v);
	memcpy(p, &v, sizeof(v));
}

static inline struct cursor cursor_of(struct span span)
{
	return (struct cursor){ .at = span.data, .left = span.len };
}

static inline struct span cursor_bytes(struct cursor *c, size_t len)
{
	struct span got = { .data = c->at, .len = len };

	if (len > c->left) {
		c->error = -EUCLEAN;
		c->left = 0;
		return (struct span){ 0 };
	}
	c->at += len;
	c->left -= len;
	return got;
}

static inline void cursor_skip(struct cursor *c, size_t len)
{
	(void)cursor_bytes(c, len);
}

/* Copies @len bytes to @ret, or nothing if fewer are left. */
static inline void cursor_copy(struct cursor *c, void *ret, size_t len)
{
	struct span s = cursor_bytes(c, len);

	if (s.len)
		memcpy(ret, s.data, s.len);
}

static inline uint8_t cursor_u8(struct cursor *c)
{
	struct span s = cursor_bytes(c, 1);

	return s.len ? s.data[0] : 0;
}

static inline uint16_t cursor_le16(struct cursor *c)
{
	struct span s = cursor_bytes(c, 2);

	return s.len ? load_le16(s.data) : 0;
}

static inline uint32_t cursor_le32(struct cursor *c)
{
	struct span s = cursor_bytes(c, 4);

	return s.len ? load_le32(s.data) : 0;
}

static inline uint64_t cursor_le64(struct cursor *c)
{
	struct span s = cursor_bytes(c, 8);

	return s.len ? load_le64(s.data) : 0;
}
