#pragma once
#include <glib.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

/*
 * Where bytes come from: a device, an image file, memory.  Everything above
 * can be tested on memory.  Any thread may read at any time.
 */
typedef struct ByteSource ByteSource;

struct byte_source_ops {
	/* Reads all of [offset, offset + len) or returns a negative errno. */
	int (*read)(void *user, uint64_t offset, void *buffer, size_t len);
	/* The same into several buffers, one after the other; those without an
	 * address stand for bytes that nobody wants.  NULL: @read is called for
	 * each of the others. */
	int (*readv)(void *user, uint64_t offset, const struct iovec *buffers, unsigned n);
	/* Asked when a read passes the known end: a device can have grown.
	 * NULL: never. */
	uint64_t (*size)(void *user);
	void (*free)(void *user); /* may be NULL */
};

/* What an open error's code means: a positive errno. */
#define BYTE_SOURCE_ERROR byte_source_error_quark()
GQuark byte_source_error_quark(void);

ByteSource *byte_source_new(const struct byte_source_ops *ops, void *user, uint64_t size);
/* A copy is not made: @data must outlive the source. */
ByteSource *byte_source_new_memory(const void *data, size_t len);
/* Block devices are read with O_DIRECT (their page cache is not coherent
 * with a file system mounted on them), files through the page cache.
 * NULL and *error (BYTE_SOURCE_ERROR) otherwise; the text names @path. */
ByteSource *byte_source_open(const char *path, GError **error);
void byte_source_free(ByteSource *source); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ByteSource, byte_source_free)

uint64_t byte_source_size(const ByteSource *source); /* bytes, as of now */

/* Any offset, length and alignment; without a copy where all three are
 * multiples of 4,096.  -EIO when the device says so or the range passes the
 * end; -ENOMEM. */
int byte_source_read(ByteSource *source, uint64_t offset, void *buffer, size_t len);
/* The same into several buffers, which lie one behind the other on the source;
 * one request where buffers and lengths are aligned as a device wants it.  At
 * most IOV_MAX of them.  A buffer without an address stands for bytes, at most
 * BYTE_SOURCE_MOST_UNWANTED, that nobody wants: read if that makes one request
 * of two. */
#define BYTE_SOURCE_MOST_UNWANTED ((size_t)64 * 1024)
int byte_source_readv(ByteSource *source, uint64_t offset, const struct iovec *buffers,
		      unsigned n);
