#include "support/image.h"
#include <string.h>

Image *image_new(size_t len)
{
	Image *image = g_new0(Image, 1);

	image->data = g_malloc0(len);
	image->len = len;
	image->used = 1 << 20;
	return image;
}

void image_free(Image *image)
{
	if (!image)
		return;
	g_free(image->data);
	g_free(image);
}

uint64_t image_alloc(Image *image, size_t len)
{
	size_t at = image->used;

	g_assert_cmpuint(at + len, <=, image->len);
	image->used = (at + len + 4095) & ~(size_t)4095;
	return at;
}

void image_write(Image *image, uint64_t at, const void *data, size_t len)
{
	g_assert_cmpuint(at + len, <=, image->len);
	memcpy(image->data + at, data, len);
}
