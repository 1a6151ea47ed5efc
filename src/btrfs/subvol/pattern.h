#pragma once
#include <glib.h>
#include <stdbool.h>

/*
 * Where snapshots lie, as a relative path with one '*' for the name:
 *
 *	snaps / home - * .ro / snapshot
 *	dir     head     tail  below
 */
struct pattern {
	char *dir;   /* "." where there is none */
	char *head, *tail;
	char *below; /* NULL where there is none */
	char *before, *after; /* all that is on either side of the '*' */
};

/* NULL and *error (FS_ERROR, EINVAL) if @text is not such a path. */
struct pattern *pattern_new(const char *text, GError **error);
void pattern_free(struct pattern *pattern); /* NULL is fine */

/* @path with no '/' at either end: the name, or NULL if it does not match. */
char *pattern_match(const struct pattern *pattern, const char *path);
/* An entry of the directory dir: the name, or NULL if it does not match. */
char *pattern_match_entry(const struct pattern *pattern, const char *entry);
/* The path of the snapshot called @name, which is a single component. */
char *pattern_path(const struct pattern *pattern, const char *name);

/* May @name stand for a '*', or be one component of a path? */
bool is_component(const char *name);
/* Components, with one '/' between any two. */
bool is_plain_path(const char *path);
