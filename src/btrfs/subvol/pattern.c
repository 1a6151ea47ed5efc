#include "btrfs/subvol/pattern.h"
#include "btrfs/fs/fs.h"
#include <errno.h>
#include <string.h>

bool is_component(const char *name)
{
	return name[0] != '\0' && !strchr(name, '/') && strcmp(name, ".") != 0 &&
	       strcmp(name, "..") != 0;
}

bool is_plain_path(const char *path)
{
	g_auto(GStrv) components = g_strsplit(path, "/", -1);

	for (char **at = components; *at; at++)
		if (!is_component(*at))
			return false;
	return path[0] != '\0';
}

struct pattern *pattern_new(const char *text, GError **error)
{
	struct pattern *pattern;
	const char *star = strchr(text, '*'), *slash;

	if (!star || strchr(star + 1, '*') || !is_plain_path(text)) {
		g_set_error(error, FS_ERROR, EINVAL,
			    "pattern '%s': it must be a relative path with one '*'", text);
		return NULL;
	}
	pattern = g_new0(struct pattern, 1);
	pattern->before = g_strndup(text, (gsize)(star - text));
	pattern->after = g_strdup(star + 1);
	slash = strrchr(pattern->before, '/');
	pattern->dir = slash ? g_strndup(pattern->before, (gsize)(slash - pattern->before)) :
			       g_strdup(".");
	pattern->head = g_strdup(slash ? slash + 1 : pattern->before);
	slash = strchr(pattern->after, '/');
	pattern->tail = slash ? g_strndup(pattern->after, (gsize)(slash - pattern->after)) :
				g_strdup(pattern->after);
	pattern->below = slash ? g_strdup(slash + 1) : NULL;
	return pattern;
}

void pattern_free(struct pattern *pattern)
{
	if (!pattern)
		return;
	g_free(pattern->dir);
	g_free(pattern->head);
	g_free(pattern->tail);
	g_free(pattern->below);
	g_free(pattern->before);
	g_free(pattern->after);
	g_free(pattern);
}

static char *between(const char *text, const char *before, const char *after)
{
	const size_t len = strlen(text), n_before = strlen(before), n_after = strlen(after);
	g_autofree char *name = NULL;

	if (len <= n_before + n_after || !g_str_has_prefix(text, before) ||
	    !g_str_has_suffix(text, after))
		return NULL;
	name = g_strndup(text + n_before, len - n_before - n_after);
	return is_component(name) ? g_steal_pointer(&name) : NULL;
}

char *pattern_match(const struct pattern *pattern, const char *path)
{
	return between(path, pattern->before, pattern->after);
}

char *pattern_match_entry(const struct pattern *pattern, const char *entry)
{
	return is_component(entry) ? between(entry, pattern->head, pattern->tail) : NULL;
}

char *pattern_path(const struct pattern *pattern, const char *name)
{
	return g_strconcat(pattern->before, name, pattern->after, NULL);
}
