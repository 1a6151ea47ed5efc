#include "btrfs/extent/file_data.h"
#include "base/load_cache.h"
#include "base/seen.h"
#include "btrfs/codec/decompress.h"
#include "btrfs/extent/cursor_pool.h"
#include "btrfs/extent/root_check.h"
#include "btrfs/extent/sectors.h"
#include <stdlib.h>

/* The format ends compressed extents at 128 KiB on both sides; this leaves
 * room for what a later one may allow. */
#define COMPRESSED_MOST (1024u * 1024)
#define READ_TRIES 4u
#define CSUM_CURSORS 8u
#define TOLD_MOST 4096u

struct FileData {
	Fs *fs;
	struct sum_format format;
	LoadCache *extents; /* decompressed, by address and root generation */
	CursorPool *csum_cursors;
	RootCheck *roots;
	Seen *told; /* where data was bad */
};

FileData *file_data_new(Fs *fs, size_t cache_bytes)
{
	const struct super super = fs_super(fs);
	FileData *data = g_new0(FileData, 1);

	data->fs = fs;
	data->format.sector_size = super.sector_size;
	data->format.csum_type = super.csum_type;
	data->extents = load_cache_new(cache_bytes);
	data->csum_cursors = cursor_pool_new(CSUM_CURSORS);
	data->roots = root_check_new(fs);
	data->told = seen_new(TOLD_MOST);
	return data;
}

void file_data_free(FileData *data)
{
	if (!data)
		return;
	load_cache_free(data->extents);
	cursor_pool_free(data->csum_cursors);
	root_check_free(data->roots);
	seen_free(data->told);
	g_free(data);
}

static int lookup_sums(FileData *data, const struct tree *csum_tree, uint64_t logical, uint32_t n,
		       struct sector_sums *ret)
{
	TreeCursor *cursor = cursor_pool_take(data->csum_cursors, csum_tree);
	int r;

	if (!cursor)
		return -ENOMEM;
	r = csum_lookup(cursor, &data->format, logical, n, ret);
	cursor_pool_give(data->csum_cursors, cursor);
	return r;
}

static void tell_run(FileData *data, const struct mended_run *run)
{
	g_autofree char *good = volume_describe(fs_volume(data->fs), run->logical, run->good_copy);
	g_autofree char *more =
		run->n > 1 ? g_strdup_printf(" and %u sectors behind it", run->n - 1) : NULL;

	log_line(fs_log(data->fs), LOG_LEVEL_WARNING,
		 "data at logical %" G_GUINT64_FORMAT "%s: bad copy (%s), taken from %s",
		 run->logical, more ? more : "", run->findings, good);
}

/*
 * A copy that was no good is bad, and not overwritten with something new, if
 * the extent was still in its place after it had been read.
 */
static void tell_mended(FileData *data, const struct tree *tree, const struct mended *mended)
{
	bool unmoved = false;

	for (guint i = 0; mended->runs && i < mended->runs->len; i++) {
		const struct mended_run *run = &g_array_index(mended->runs, struct mended_run, i);

		if (!seen_add(data->told, run->logical, 0))
			continue;
		unmoved = unmoved || root_check_newest(data->roots, tree) == 0;
		if (!unmoved)
			return;
		tell_run(data, run);
	}
}

/*
 * With the trees of the superblock in use.  The order counts: the root is
 * found unmoved after the checksum tree has been chosen, so the checksums are
 * those of this tree's extents and not of what came to lie in their place.
 */
static int try_sectors(FileData *data, const struct tree *tree, uint64_t logical, uint32_t n,
		       uint8_t *buffer)
{
	g_auto(Mended) mended = { 0 };
	struct sector_sums sums;
	struct tree csum_tree;
	int r = fs_tree(data->fs, BTRFS_CSUM_TREE_OBJECTID, &csum_tree);

	if (r == 0)
		r = root_check(data->roots, tree);
	if (r == 0)
		r = lookup_sums(data, &csum_tree, logical, n, &sums);
	if (r == 0)
		r = sectors_read(fs_volume(data->fs), &data->format, logical, &sums, buffer,
				 &mended);
	if (r == 0 && sums.n_present < n)
		r = root_check_newest(data->roots, tree);
	if (r == 0)
		tell_mended(data, tree, &mended);
	return r;
}

/* What fails may have been moved or rewritten by a later commit: it is tried
 * again as long as there is one. */
static int read_sectors(FileData *data, const struct tree *tree, uint64_t logical, uint32_t n,
			uint8_t *buffer)
{
	int r = -EIO;

	for (unsigned tries = 0; tries < READ_TRIES; tries++) {
		const uint64_t before = fs_super(data->fs).generation;

		r = try_sectors(data, tree, logical, n, buffer);
		if (r == 0 || r == -ENOMEM)
			return r;
		if (fs_refresh(data->fs) || fs_super(data->fs).generation == before)
			return r;
	}
	return r;
}

static void *aligned_new(size_t len)
{
	void *memory = NULL;

	return posix_memalign(&memory, 4096, len) ? NULL : memory;
}

/* Memory of posix_memalign(), freed at the end of the scope. */
static void aligned_free(uint8_t **memory)
{
	free(*memory);
}

/* [head, head + len) of the @n sectors at @logical. */
static int read_bounced(FileData *data, const struct tree *tree, uint64_t logical, uint32_t n,
			size_t head, size_t len, uint8_t *buffer)
{
	__attribute__((cleanup(aligned_free))) uint8_t *bounce =
		aligned_new((size_t)n * data->format.sector_size);
	int r;

	if (!bounce)
		return -ENOMEM;
	r = read_sectors(data, tree, logical, n, bounce);
	if (r == 0)
		memcpy(buffer, bounce + head, len);
	return r;
}

/* Any range of logical addresses, in as large reads as may be. */
static int read_logical(FileData *data, const struct tree *tree, uint64_t logical, uint64_t len,
			uint8_t *buffer)
{
	const uint32_t sector = data->format.sector_size;
	uint64_t end;

	if (__builtin_add_overflow(logical, len, &end) || end > UINT64_MAX - sector)
		return -EUCLEAN;
	while (len > 0) {
		const size_t head = (size_t)(logical % sector);
		const size_t most = (size_t)SECTORS_MOST * sector - head;
		const size_t part = (size_t)MIN(len, most);
		const uint32_t n = (uint32_t)((head + part + sector - 1) / sector);
		const bool whole = head == 0 && part == (size_t)n * sector;
		int r;

		if (whole)
			r = read_sectors(data, tree, logical, n, buffer);
		else
			r = read_bounced(data, tree, logical - head, n, head, part, buffer);
		if (r)
			return r;
		logical += part;
		buffer += part;
		len -= part;
	}
	return 0;
}

/* A part of an extent's bytes, zeros behind their end. */
static void copy_part(struct span bytes, uint64_t from, void *buffer, size_t len)
{
	const size_t held = from < bytes.len ? MIN(len, bytes.len - (size_t)from) : 0;

	if (held > 0)
		memcpy(buffer, bytes.data + from, held);
	memset((uint8_t *)buffer + held, 0, len - held);
}

struct extent_load {
	FileData *data;
	const struct tree *tree;
	const struct data_place *place;
};

static int load_extent(void *user, Blob **ret)
{
	const struct extent_load *load = user;
	const struct data_place *place = load->place;
	g_autoptr(Blob) blob = blob_new((size_t)place->ram_bytes);
	__attribute__((cleanup(aligned_free))) uint8_t *stored =
		aligned_new((size_t)place->stored_len);
	int r;

	if (!blob || !stored)
		return -ENOMEM;
	r = read_logical(load->data, load->tree, place->disk_bytenr, place->stored_len, stored);
	if (r == 0)
		r = decompress(place->compression, span_of(stored, (size_t)place->stored_len),
			       load->data->format.sector_size, blob->bytes, blob->len);
	if (r == 0)
		*ret = g_steal_pointer(&blob);
	return r;
}

/*
 * Two trees whose roots are of one generation were both whole at the end of
 * that transaction, when the address meant one extent: so address and root
 * generation name its bytes for good.
 */
static int read_compressed(FileData *data, const struct tree *tree, const struct data_place *place,
			   uint64_t from, size_t len, void *buffer)
{
	struct extent_load load = { .data = data, .tree = tree, .place = place };
	g_autoptr(Blob) blob = NULL;
	int r;

	if (place->stored_len == 0 || place->stored_len > COMPRESSED_MOST ||
	    place->ram_bytes == 0 || place->ram_bytes > COMPRESSED_MOST)
		return -EUCLEAN;
	r = load_cache_get(data->extents, place->disk_bytenr, tree->generation, load_extent, &load,
			   &blob);
	if (r == 0)
		copy_part(span_of(blob->bytes, blob->len), from, buffer, len);
	return r;
}

static int read_extent(FileData *data, const struct tree *tree, const struct data_place *place,
		       uint64_t in_item, size_t len, void *buffer)
{
	uint64_t from, end;

	if (place->disk_bytenr % data->format.sector_size != 0 ||
	    __builtin_add_overflow(place->offset, in_item, &from) ||
	    __builtin_add_overflow(from, len, &end) || end > UINT64_MAX - place->disk_bytenr)
		return -EUCLEAN;
	if (place->compression != BTRFS_COMPRESS_NONE)
		return read_compressed(data, tree, place, from, len, buffer);
	if (end > place->stored_len)
		return -EUCLEAN;
	return read_logical(data, tree, place->disk_bytenr + from, len, buffer);
}

static int copy_inline(FileData *data, const struct file_extent *extent, uint64_t in_item,
		       size_t len, void *buffer)
{
	g_autofree uint8_t *out = NULL;
	int r;

	if (extent->compression == BTRFS_COMPRESS_NONE) {
		copy_part(extent->inline_data, in_item, buffer, len);
		return 0;
	}
	if (extent->ram_bytes == 0 || extent->ram_bytes > COMPRESSED_MOST)
		return -EUCLEAN;
	out = g_try_malloc((size_t)extent->ram_bytes);
	if (!out)
		return -ENOMEM;
	r = decompress(extent->compression, extent->inline_data, data->format.sector_size, out,
		       (size_t)extent->ram_bytes);
	if (r == 0)
		copy_part(span_of(out, (size_t)extent->ram_bytes), in_item, buffer, len);
	return r;
}

/* *ret lives until the cursor moves. */
static int find_inline(TreeCursor *cursor, const struct data_place *place, uint64_t ino,
		       struct file_extent *ret)
{
	const struct key key = KEY(ino, BTRFS_EXTENT_DATA_KEY, place->item_offset);
	int r = tree_cursor_find(cursor, &key);

	if (r == 0)
		r = file_extent_parse(tree_cursor_item(cursor), ret);
	if (r)
		return r;
	return ret->type == BTRFS_FILE_EXTENT_INLINE && ret->compression == place->compression ?
		       0 : -ESTALE;
}

static int read_inline(FileData *data, TreeCursor *cursor, const struct data_place *place,
		       const struct file_range *range, void *buffer)
{
	struct file_extent extent;
	int r = find_inline(cursor, place, range->ino, &extent);

	if (r)
		return r;
	return copy_inline(data, &extent, range->offset - place->item_offset, (size_t)range->len,
			   buffer);
}

int file_data_read(FileData *data, TreeCursor *cursor, const struct data_place *place,
		   const struct file_range *range, void *buffer)
{
	const struct tree tree = tree_cursor_tree(cursor);

	if (range->offset < place->item_offset || range->len > SIZE_MAX)
		return -EUCLEAN;
	if (range->len == 0)
		return 0;
	switch (place->kind) {
	case DATA_ZERO:
		memset(buffer, 0, (size_t)range->len);
		return 0;
	case DATA_INLINE:
		return read_inline(data, cursor, place, range, buffer);
	case DATA_EXTENT:
		return read_extent(data, &tree, place, range->offset - place->item_offset,
				   (size_t)range->len, buffer);
	}
	return -EUCLEAN;
}

static int read_inline_stored(TreeCursor *cursor, const struct data_place *place, uint64_t ino,
			      void *buffer)
{
	struct file_extent extent;
	int r = find_inline(cursor, place, ino, &extent);

	if (r)
		return r;
	if (extent.inline_data.len != place->stored_len)
		return -ESTALE;
	if (extent.inline_data.len)
		memcpy(buffer, extent.inline_data.data, extent.inline_data.len);
	return 0;
}

int file_data_read_stored(FileData *data, TreeCursor *cursor, const struct data_place *place,
			  uint64_t ino, void *buffer)
{
	const struct tree tree = tree_cursor_tree(cursor);

	if (place->kind == DATA_INLINE)
		return read_inline_stored(cursor, place, ino, buffer);
	if (place->kind != DATA_EXTENT || place->stored_len > COMPRESSED_MOST ||
	    place->disk_bytenr % data->format.sector_size != 0)
		return -EUCLEAN;
	return read_logical(data, &tree, place->disk_bytenr, place->stored_len, buffer);
}
