#include "base/error.h"
#include "base/span.h"
#include <glib.h>
#include <limits.h>

static void test_values(void)
{
	static const uint8_t bytes[] = { 1,  2,	3,  4,	5,  6,	7,  8, 9,
					 10, 11, 12, 13, 14, 15, 16, 17 };
	struct cursor c = cursor_of(span_of(bytes, sizeof(bytes)));
	uint8_t copy[2] = { 0 };

	g_assert_cmphex(cursor_u8(&c), ==, 0x01);
	g_assert_cmphex(cursor_le16(&c), ==, 0x0302);
	g_assert_cmphex(cursor_le32(&c), ==, 0x07060504);
	g_assert_cmphex(cursor_le64(&c), ==, 0x0f0e0d0c0b0a0908);
	cursor_copy(&c, copy, 2);
	g_assert_cmphex(copy[1], ==, 0x11);
	g_assert_cmpuint(c.left, ==, 0);
	g_assert_cmpint(c.error, ==, 0);
}

static void test_error_stays(void)
{
	static const uint8_t bytes[] = { 1, 2, 3 };
	struct cursor c = cursor_of(span_of(bytes, sizeof(bytes)));
	uint8_t untouched = 42;

	g_assert_cmpuint(cursor_le32(&c), ==, 0);
	g_assert_cmpint(c.error, ==, -EUCLEAN);
	g_assert_cmpuint(cursor_u8(&c), ==, 0);
	cursor_copy(&c, &untouched, 1);
	g_assert_cmpuint(untouched, ==, 42);
	g_assert_cmpint(c.error, ==, -EUCLEAN);
}

static void test_bytes(void)
{
	struct cursor c = cursor_of(span_str("name"));

	cursor_skip(&c, 1);
	g_assert_true(span_equal(cursor_bytes(&c, 3), span_str("ame")));
	g_assert_true(span_equal(cursor_bytes(&c, 0), span_str("")));
	g_assert_cmpint(c.error, ==, 0);
	g_assert_true(span_equal(cursor_bytes(&c, SIZE_MAX), (struct span){ 0 }));
	g_assert_cmpint(c.error, ==, -EUCLEAN);
	g_assert_false(span_equal(span_str("a"), span_str("ab")));
	g_assert_false(span_equal(span_str("a"), span_str("b")));
}

static void test_store(void)
{
	uint8_t bytes[9] = { 0 };

	store_le64(bytes + 1, 0x0102030405060708);
	g_assert_cmphex(bytes[1], ==, 8);
	g_assert_cmphex(load_le64(bytes + 1), ==, 0x0102030405060708);
	store_le32(bytes + 1, 0xa1a2a3a4);
	g_assert_cmphex(load_le32(bytes + 1), ==, 0xa1a2a3a4);
	store_le16(bytes + 1, 0xb1b2);
	g_assert_cmphex(load_le16(bytes + 1), ==, 0xb1b2);
	g_assert_cmphex(bytes[3], ==, 0xa2);
}

static void test_error_text(void)
{
	static const int ours[] = { -ENOENT, -EUCLEAN,	  -EBADMSG, -EIO,
				    -ESTALE, -EOPNOTSUPP, -ENOMEM,  -ECANCELED };

	for (size_t i = 0; i < G_N_ELEMENTS(ours); i++) {
		g_assert_cmpstr(error_text(ours[i]), !=, g_strerror(-ours[i]));
		g_assert_cmpuint(strlen(error_text(ours[i])), >, 0);
	}
	g_assert_cmpstr(error_text(-EPERM), ==, g_strerror(EPERM));
	g_assert_nonnull(error_text(0));
	g_assert_nonnull(error_text(INT_MIN));
	g_assert_nonnull(error_text(-123456));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/span/values", test_values);
	g_test_add_func("/span/error-stays", test_error_stays);
	g_test_add_func("/span/bytes", test_bytes);
	g_test_add_func("/span/store", test_store);
	g_test_add_func("/error/text", test_error_text);
	return g_test_run();
}
