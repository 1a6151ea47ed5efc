#pragma once
#include "btrfs/ondisk/super.h"
#include "support/items.h"
#include "support/tree.h"

/*
 * A whole file system in memory: one device, nodes of 4 KiB, crc32c, and one
 * chunk, [1 MiB, 9 MiB), that lies where its addresses say.  Change the parts,
 * commit, save; commit again.
 */
typedef struct FsImage {
	Image *image;
	struct block_format format;
	TreeBuilder *builder;
	struct super super; /* generation: of the last commit */
	ItemSet *chunks, *roots;
	struct root_item extent_root; /* bytenr 0: only its item is there */
} FsImage;

#define FS_IMAGE_LEN ((size_t)9 << 20)

FsImage *fs_image_new(void);
void fs_image_free(FsImage *fs); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FsImage, fs_image_free)

/* Adds a chunk to the chunk tree. */
void fs_image_put_chunk(FsImage *fs, uint64_t logical, const struct built_chunk *chunk);
/* Writes a tree for the next commit; the root item that fits it is for
 * fs_image_put_root(). */
struct root_item fs_image_write_tree(FsImage *fs, uint64_t id, const ItemSet *items);
void fs_image_put_root(FsImage *fs, uint64_t id, const struct root_item *item);
/* ROOT_BACKREF of @id: its name in directory @dirid of subvolume @parent. */
void fs_image_put_backref(FsImage *fs, uint64_t id, uint64_t parent, uint64_t dirid,
			  const char *name);

/* Chunk tree, root tree, and the superblock at 64 KiB, a generation on. */
void fs_image_commit(FsImage *fs);
/* Into a file of FS_IMAGE_LEN bytes, in place of what is there. */
void fs_image_save(const FsImage *fs, const char *path);
