#pragma once
#include "btrfs/fs/fs.h"
#include "btrfs/ondisk/data_place.h"

/*
 * The bytes of files: from the extents of a subvolume, decompressed, each
 * sector held against its checksum where it has one.
 */
typedef struct FileData FileData;

struct file_range {
	uint64_t ino;
	uint64_t offset; /* in the file, bytes */
	uint64_t len;
};

/* @cache_bytes: decompressed extents kept for the next reader.  @fs must
 * outlive it.  Any thread may read at any time. */
FileData *file_data_new(Fs *fs, size_t cache_bytes);
void file_data_free(FileData *data); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FileData, file_data_free)

/*
 * Reads @range, which lies within the one extent item that @place describes,
 * into @buffer (range->len bytes, undefined after an error).  @cursor: a
 * cursor in the subvolume's tree, in which @place has been looked up; it
 * finds inline items, and moves.
 * Bytes beyond what the extent holds are zeros.
 *   -ENOENT, -ESTALE   the extent item is not there any more, or the tree has
 *                      moved: look the subvolume and the item up anew
 *   -EIO, -EBADMSG     no copy can be read, or none matches its checksums
 *   -EUCLEAN           the compressed bytes are damaged, or @place is none
 *   -ENOMEM
 * All but -ENOMEM are verdicts as of the newest superblock.
 */
int file_data_read(FileData *data, TreeCursor *cursor, const struct data_place *place,
		   const struct file_range *range, void *buffer);

/*
 * The place->stored_len bytes of a compressed extent or inline item of inode
 * @ino as they are stored, held against their checksums as above and not
 * decompressed.  The same errors.
 */
int file_data_read_stored(FileData *data, TreeCursor *cursor, const struct data_place *place,
			  uint64_t ino, void *buffer);
