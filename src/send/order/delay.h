#pragma once
#include "send/order/context.h"

/*
 * Moves of directories that must wait, and removals of directories that are
 * not empty yet.  docs/send-order.md, section 8.
 */

/* Conditions A and B (8.2, 8.3) for the current inode's new reference @ref:
 * 1 if the move has been delayed, 0 if it can be made now, or an error. */
int delay_for_name(struct sender *sender, const struct ref *ref, bool orphan);
int delay_for_ancestor(struct sender *sender, const struct ref *ref, bool orphan);

/* 8.4: makes the moves that waited for the current inode. */
int make_delayed_moves(struct sender *sender);

/* 8.5: 1 if the deleted directory can be removed now, 0 if not. */
int can_remove_directory(struct sender *sender, struct inode_id dir);

/* The ancestor test of 8.3, in the old snapshot: 1 if @ancestor is one of
 * inode number @ino. */
int is_ancestor(struct sender *sender, struct inode_id ancestor, uint64_t ino);
