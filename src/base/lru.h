#pragma once
#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The least-recently-used cache that every cache of sendfs is made of.
 *
 * Entries are found by a 64-bit key and a generation (0 where there is only
 * one).  Each has a weight: bytes, or 1 where entries are counted.
 * All operations take constant time.  Not locked: the owner locks.
 */
typedef struct Lru Lru;

/* @most: the greatest sum of weights, 0 for no limit (the owner trims).
 * @free_value, if not NULL, is called for values that leave, except by
 * lru_steal(); it must not use the cache. */
Lru *lru_new(size_t most, GDestroyNotify free_value);
void lru_free(Lru *lru); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Lru, lru_free)

/* The value, which becomes the most recently used, or NULL. */
void *lru_get(Lru *lru, uint64_t key, uint64_t generation);

/* The value without touching the order, or NULL. */
void *lru_peek(const Lru *lru, uint64_t key, uint64_t generation);

/*
 * Stores @value (not NULL; owned by the cache from then on) as the most
 * recently used.  Where the limit would be passed, least recently used
 * entries leave first, one by one, until it fits or the cache is empty.
 * False, and nothing changed or taken, if the key is there already.
 */
bool lru_put(Lru *lru, uint64_t key, uint64_t generation, void *value, size_t weight);

/* Removes one entry and frees its value; false if there is none. */
bool lru_remove(Lru *lru, uint64_t key, uint64_t generation);
/* Removes one entry and hands over its value; NULL if there is none. */
void *lru_steal(Lru *lru, uint64_t key, uint64_t generation);
void lru_clear(Lru *lru);

/* The least recently used entry; false if the cache is empty.  Outputs that
 * nobody wants may be NULL. */
bool lru_oldest(const Lru *lru, uint64_t *ret_key, uint64_t *ret_generation, void **ret_value);

/* From the most to the least recently used.  @visit must not change @lru. */
typedef void (*lru_visit_fn)(uint64_t key, uint64_t generation, void *value, void *user);
void lru_foreach(const Lru *lru, lru_visit_fn visit, void *user);

size_t lru_count(const Lru *lru);
size_t lru_weight(const Lru *lru);
