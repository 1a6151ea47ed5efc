#pragma once
#include "unit/tree/disks.h"

/* Trees on two disks in memory, to be read through one store. */
struct trees {
	Disks *disks;
	TreeBuilder *builder;
	NodeStore *store;
	size_t used; /* of the image, before the first tree */
};

/* @objectids_per_leaf, @fanout: as tree_builder_new(). */
void trees_begin(struct trees *trees, uint64_t objectids_per_leaf, unsigned fanout);
void trees_end(struct trees *trees);

/* Written as subvolume @id, in generation @id, sharing what is equal to earlier
 * ones. */
struct tree trees_put(struct trees *trees, uint64_t id, const ItemSet *items);
struct tree trees_put_text(struct trees *trees, uint64_t id, const char *text);

/* Forgets all trees: the next ones lie where these did. */
void trees_restart(struct trees *trees);

/*
 * Calls @check with a copy of @items for every truncation of the item with
 * this key, and every bit of it flipped.  @bit < 0: truncated.
 */
typedef void (*trees_damage_fn)(const ItemSet *damaged, int bit, void *user);
void trees_for_each_damage(const ItemSet *items, struct key key, trees_damage_fn check,
			   void *user);
