#pragma once
#include "support/tree.h"

/*
 * The items of a subvolume's tree from a text, an inode a line:
 *
 *	NUMBER TYPE GENERATION [NAME]... [OPTION]...
 *
 * TYPE is dir, file, link, fifo, sock, chr, blk, odd (a mode that means
 * nothing), or subvol: then only the entry of that subvolume id is made.
 * A NAME is a path from the subvolume's root; +NAME is kept in an INODE_EXTREF
 * item.  NAME@N has DIR_INDEX N; otherwise the number times 16, and one more
 * for each further name.  Directories may come after what is in them.  Inode
 * 256 is there whether it is given or not.
 *
 *	!                       touched: other times and transid
 *	size=N mode=OCTAL uid=N gid=N links=N flags=N rdev=N
 *	to=TEXT                 target of a symlink
 *	inline=TEXT
 *	data=OFFSET+LEN@DISK    an extent item; +N after it: the offset into the
 *	                        extent; /N: the extent's generation
 *	zdata=                  the same, compressed
 *	prealloc=               the same, preallocated
 *	hole=OFFSET+LEN         explicit
 *	xattr=NAME:VALUE
 *
 * Numbers may end in k or m; DISK must lie where no tree blocks are, at 16m and
 * above.  Sizes follow from the contents if they are not given,
 * link counts from the names; with links=0 there is an ORPHAN_ITEM.
 */
ItemSet *subvolume_items(const char *text);
