#pragma once
#include "btrfs/inode/inode_reader.h"

/*
 * File contents side by side, by their extent items alone.
 * docs/send-order.md, sections 10.2 and 10.3.
 *
 * @old: the old side.  Each function may move its cursor of extents, and
 * return the errors of the reader.
 */

/* 1 if the old side has the same bytes where @item of inode @ino lies, however
 * its items are cut; 0 if not, or if that cannot be told from the items. */
int extent_unchanged(InodeReader *old, uint64_t ino, const struct extent_item *item);

/* 1 if the old side has neither data nor preallocated space in
 * [start, end) of the file, else 0. */
int range_is_hole(InodeReader *old, uint64_t ino, uint64_t start, uint64_t end);
