#include "btrfs/volume/byte_source.h"
#include "base/autofd.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#define BOUNCE_LEN ((size_t)256 * 1024)
#define BOUNCE_ALIGN ((size_t)4096)

G_DEFINE_QUARK(byte-source-error, byte_source_error)

struct ByteSource {
	const struct byte_source_ops *ops;
	void *user;
	uint64_t size;
};

ByteSource *byte_source_new(const struct byte_source_ops *ops, void *user, uint64_t size)
{
	ByteSource *source = g_new0(ByteSource, 1);

	source->ops = ops;
	source->user = user;
	source->size = size;
	return source;
}

void byte_source_free(ByteSource *source)
{
	if (!source)
		return;
	if (source->ops->free)
		source->ops->free(source->user);
	g_free(source);
}

uint64_t byte_source_size(const ByteSource *source)
{
	return source->ops->size ? source->ops->size(source->user) : source->size;
}

static bool within(uint64_t size, uint64_t offset, size_t len)
{
	return offset <= size && len <= size - offset;
}

int byte_source_read(ByteSource *source, uint64_t offset, void *buffer, size_t len)
{
	if (!within(source->size, offset, len) &&
	    !within(byte_source_size(source), offset, len))
		return -EIO;
	if (len == 0)
		return 0;
	return source->ops->read(source->user, offset, buffer, len);
}

static int read_each(const ByteSource *source, uint64_t offset, const struct iovec *buffers,
		     unsigned n)
{
	int r = 0;

	for (unsigned i = 0; r == 0 && i < n; i++) {
		if (buffers[i].iov_base)
			r = source->ops->read(source->user, offset, buffers[i].iov_base,
					      buffers[i].iov_len);
		offset += buffers[i].iov_len;
	}
	return r;
}

int byte_source_readv(ByteSource *source, uint64_t offset, const struct iovec *buffers, unsigned n)
{
	size_t len = 0;

	for (unsigned i = 0; i < n; i++)
		if (__builtin_add_overflow(len, buffers[i].iov_len, &len))
			return -EIO;
	if (!within(source->size, offset, len) &&
	    !within(byte_source_size(source), offset, len))
		return -EIO;
	if (!source->ops->readv)
		return read_each(source, offset, buffers, n);
	return source->ops->readv(source->user, offset, buffers, n);
}

/* Memory: the user pointer is the data itself. */
struct memory_source {
	const uint8_t *data;
};

static int memory_read(void *user, uint64_t offset, void *buffer, size_t len)
{
	const struct memory_source *memory = user;

	memcpy(buffer, memory->data + offset, len);
	return 0;
}

static const struct byte_source_ops memory_ops = { .read = memory_read, .free = g_free };

ByteSource *byte_source_new_memory(const void *data, size_t len)
{
	struct memory_source *memory = g_new0(struct memory_source, 1);

	memory->data = data;
	return byte_source_new(&memory_ops, memory, len);
}

/* Files and block devices. */
struct file_source {
	int fd;
	size_t align; /* 1: any; else offset, length and address must be multiples */
};

static bool is_aligned(const struct file_source *file, uint64_t offset, const void *buffer,
		       size_t len)
{
	return ((offset | (uintptr_t)buffer | len) & (file->align - 1)) == 0;
}

/* Reads all of an aligned range. */
static int read_full(const struct file_source *file, uint64_t offset, uint8_t *buffer, size_t len)
{
	while (len > 0) {
		ssize_t got = pread(file->fd, buffer, len, (off_t)offset);
		size_t step;

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return errno == ENOMEM ? -ENOMEM : -EIO;
		/* What follows a short direct read must be aligned again. */
		step = (size_t)got & ~(file->align - 1);
		if (step == 0)
			return -EIO;
		buffer += step;
		offset += step;
		len -= step;
	}
	return 0;
}

static int read_bounced(const struct file_source *file, uint64_t offset, uint8_t *buffer,
			size_t len)
{
	const size_t mask = file->align - 1;
	size_t head = (size_t)offset & mask;
	size_t most = MIN((head + len + mask) & ~mask, BOUNCE_LEN);
	uint8_t *bounce = NULL;
	int r = 0;

	if (posix_memalign((void **)&bounce, MAX(file->align, BOUNCE_ALIGN), most) != 0)
		return -ENOMEM;
	while (len > 0 && r == 0) {
		size_t want = MIN((head + len + mask) & ~mask, most);
		size_t part = MIN(want - head, len);

		r = read_full(file, offset - head, bounce, want);
		if (r == 0)
			memcpy(buffer, bounce + head, part);
		buffer += part;
		offset += part;
		len -= part;
		head = 0;
	}
	free(bounce);
	return r;
}

static int file_read(void *user, uint64_t offset, void *buffer, size_t len)
{
	const struct file_source *file = user;

	if (is_aligned(file, offset, buffer, len))
		return read_full(file, offset, buffer, len);
	if (len > SIZE_MAX - 2 * file->align)
		return -EIO;
	return read_bounced(file, offset, buffer, len);
}

/* Where a device writes what nobody wants. */
static _Thread_local uint8_t unwanted[BYTE_SOURCE_MOST_UNWANTED] __attribute__((aligned(4096)));

static bool read_at_once(const struct file_source *file, uint64_t offset,
			 const struct iovec *buffers, unsigned n)
{
	struct iovec all[IOV_MAX];
	bool aligned = true;
	size_t len = 0;

	for (unsigned i = 0; aligned && i < n; i++) {
		all[i] = buffers[i];
		if (!all[i].iov_base)
			all[i].iov_base = unwanted;
		aligned = is_aligned(file, offset, all[i].iov_base, all[i].iov_len);
		len += all[i].iov_len;
	}
	return aligned && preadv(file->fd, all, (int)n, (off_t)offset) == (ssize_t)len;
}

/* What one request did not give is read buffer by buffer. */
static int file_readv(void *user, uint64_t offset, const struct iovec *buffers, unsigned n)
{
	int r = 0;

	if (read_at_once(user, offset, buffers, n))
		return 0;
	for (unsigned i = 0; r == 0 && i < n; i++) {
		if (buffers[i].iov_base)
			r = file_read(user, offset, buffers[i].iov_base, buffers[i].iov_len);
		offset += buffers[i].iov_len;
	}
	return r;
}

/* Size in bytes and, for block devices, the logical sector. */
static int file_geometry(int fd, const struct stat *st, uint64_t *ret_size, size_t *ret_align)
{
	int sector = 0;

	if (S_ISREG(st->st_mode)) {
		*ret_size = (uint64_t)st->st_size;
		*ret_align = 1;
		return 0;
	}
	if (ioctl(fd, BLKGETSIZE64, ret_size) < 0 || ioctl(fd, BLKSSZGET, &sector) < 0)
		return -errno;
	if (sector < 512 || sector > 64 * 1024 || (sector & (sector - 1)) != 0)
		return -EINVAL;
	*ret_align = (size_t)sector;
	*ret_size &= ~((uint64_t)sector - 1);
	return 0;
}

static uint64_t file_size(void *user)
{
	const struct file_source *file = user;
	uint64_t size = 0;
	size_t align;
	struct stat st;

	if (fstat(file->fd, &st) < 0 || file_geometry(file->fd, &st, &size, &align) < 0)
		return 0;
	return size;
}

static void file_free(void *user)
{
	struct file_source *file = user;

	close(file->fd);
	g_free(file);
}

static const struct byte_source_ops file_ops = {
	.read = file_read,
	.readv = file_readv,
	.size = file_size,
	.free = file_free,
};

static ByteSource *open_failed(const char *path, int err, const char *text, GError **error)
{
	g_set_error(error, BYTE_SOURCE_ERROR, err, "%s: %s", path, text ? text : g_strerror(err));
	return NULL;
}

ByteSource *byte_source_open(const char *path, GError **error)
{
	AUTOFD int fd = -1;
	struct file_source *file;
	struct stat before, st;
	uint64_t size = 0;
	size_t align = 1;
	int r;

	/* Looked at first: opening a FIFO would wait. */
	if (stat(path, &before) < 0)
		return open_failed(path, errno, NULL, error);
	if (S_ISDIR(before.st_mode))
		return open_failed(path, EISDIR, NULL, error);
	if (!S_ISREG(before.st_mode) && !S_ISBLK(before.st_mode))
		return open_failed(path, ENOTBLK, "neither a block device nor a file", error);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY |
			(S_ISBLK(before.st_mode) ? O_DIRECT : 0));
	if (fd < 0 || fstat(fd, &st) < 0)
		return open_failed(path, errno, NULL, error);
	if ((st.st_mode & S_IFMT) != (before.st_mode & S_IFMT))
		return open_failed(path, EAGAIN, "it changed while being opened", error);
	r = file_geometry(fd, &st, &size, &align);
	if (r < 0)
		return open_failed(path, -r, NULL, error);
	file = g_new0(struct file_source, 1);
	file->fd = autofd_steal(&fd);
	file->align = align;
	return byte_source_new(&file_ops, file, size);
}
