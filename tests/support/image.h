#pragma once
#include <glib.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Memory that stands for a device.  An address in it serves as the logical
 * address too: a chunk that maps the image to itself is all a test needs.
 */
typedef struct Image {
	uint8_t *data; /* zeros to begin with */
	size_t len;    /* bytes, fixed */
	size_t used;   /* what image_alloc() gave so far */
} Image;

Image *image_new(size_t len);
void image_free(Image *image); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Image, image_free)

/* The address of @len bytes (4 KiB aligned) that nobody else was given, the
 * first at 1 MiB.  The test ends if the image is full. */
uint64_t image_alloc(Image *image, size_t len);
void image_write(Image *image, uint64_t at, const void *data, size_t len);
