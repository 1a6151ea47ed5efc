#pragma once
#include "btrfs/ondisk/items.h"
#include "btrfs/tree/tree_cursor.h"

/*
 * Which names are not in a directory, without a search: where a directory is
 * asked for many names that it does not hold, its entries are read through
 * once, and a bit is kept for each hash of a name.
 *
 * Of the directories that have been asked lately, those asked most are kept.
 * A filter is of one tree and belongs to one thread.
 */
typedef struct NameFilter NameFilter;

NameFilter *name_filter_new(const struct tree *tree); /* NULL without memory */
void name_filter_free(NameFilter *filter);	      /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NameFilter, name_filter_free)

/* Whether @dir surely holds no name with this hash.  false says nothing. */
bool name_filter_excludes(NameFilter *filter, uint64_t dir, uint32_t hash);

/* Whether @dir has been asked so often that name_filter_read() may pay. */
bool name_filter_wants(const NameFilter *filter, uint64_t dir);

/* Reads the entries of @dir, if they are few beside the searches made so far.
 * @size: of the directory, from its inode item (twice the sum of its names'
 * lengths): a hint only.  Errors show in the searches. */
void name_filter_read(NameFilter *filter, uint64_t dir, uint64_t size);
