#pragma once
#include "send/order/paths.h"

/*
 * The references that the current inode gets and loses.
 * docs/send-order.md, section 6.1.
 */
typedef struct RefSet RefSet;

struct ref {
	struct inode_id dir;
	struct span name;
	struct span path; /* as of recording, or of ref_set_recompute() */
	struct ref *next, *prev;
};

RefSet *ref_set_new(Paths *paths);
void ref_set_free(RefSet *set); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RefSet, ref_set_free)

/*
 * Records that the current inode has got (or lost) a name in @dir.  If the
 * other list holds the same reference, that is dropped and nothing recorded.
 */
int ref_set_record(RefSet *set, bool is_new, struct inode_id dir, struct span name);

bool ref_set_is_empty(const RefSet *set);
/* In the order of recording; follow ->next to NULL. */
struct ref *ref_set_first_new(const RefSet *set);
struct ref *ref_set_first_deleted(const RefSet *set);

/* The stored path of @ref as it is now. */
int ref_set_recompute(RefSet *set, struct ref *ref);

void ref_set_clear(RefSet *set);
