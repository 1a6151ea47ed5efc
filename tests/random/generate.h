#pragma once
#include <glib.h>

/*
 * Makes the history that @seed stands for, always the same text: how to make
 * and mount a file system, about @n_operations operations (0: some number) on
 * its subvolume "main" with snapshots s1, s2, s3 in between, often a fork f1 of
 * s1, and the pairs of snapshots to compare.
 *
 * @profile: one of history_profiles, or NULL for one that the seed chooses.
 * NULL if there is no such profile.
 */
char *generate_history(guint64 seed, unsigned n_operations, const char *profile);

extern const char *const history_profiles[]; /* ends with NULL */
