#pragma once
#include "btrfs/tree/tree_diff.h"

/*
 * The attributes that one XATTR_ITEM event sets or removes, in the order in
 * which they are sent.  docs/send-order.md, section 9.4.
 *
 * @visit gets the name and, for an attribute that is set, its value; for one
 * that is removed, NULL.  Its first non-zero result ends the walk and is
 * returned.  -EUCLEAN for an item that cannot be parsed.
 */
typedef int (*xattr_change_fn)(void *user, struct span name, const struct span *value);

int xattr_diff(const struct tree_event *event, xattr_change_fn visit, void *user);
