#pragma once
#include "compare/inode_diff.h"
#include "send/order/context.h"

/*
 * File contents, xattrs.  docs/send-order.md, sections 9.4 and 10.
 */

/* 10.1: an extent item of the current inode that is new or changed. */
int send_extent(struct sender *sender, const struct tree_event *event);

/* 10.3: an extent item of the current inode, of any kind: sends the hole
 * before it, if the receiver does not have that. */
int send_hole_before(struct sender *sender, const struct extent_item *item, bool first_in_leaf);
/* The same for the end of the file. */
int send_hole_at_end(struct sender *sender);

/* 9.4: an XATTR_ITEM event of the current inode. */
int send_xattrs(struct sender *sender, const struct tree_event *event);

/* 3.1: all extents, then all xattrs, of an inode that replaces another. */
int send_all_contents(struct sender *sender);

/* 9.1 step 6: the capability, whether it changed or not. */
int send_capability(struct sender *sender);
