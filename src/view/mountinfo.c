#include "view/mountinfo.h"
#include "base/autofd.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

void mountinfo_clear(Mountinfo *info)
{
	g_clear_pointer(&info->type, g_free);
	g_clear_pointer(&info->device, g_free);
}

/* "36 35 0:52 / /mnt\040x ro,noatime master:1 - ext3 /dev/root rw": see
 * proc(5). */
static bool parse_line(const char *line, const char *path, Mountinfo *ret)
{
	g_auto(GStrv) fields = g_strsplit(line, " ", -1);
	const guint n = g_strv_length(fields);
	g_autofree char *point = n > 6 ? g_strcompress(fields[4]) : NULL;

	if (!point || strcmp(point, path) != 0)
		return false;
	for (guint i = 6; i + 1 < n; i++) {
		if (strcmp(fields[i], "-") != 0)
			continue;
		mountinfo_clear(ret);
		ret->type = g_strdup(fields[i + 1]);
		ret->device = g_strdup(fields[2]);
		return true;
	}
	return false;
}

bool mountinfo_find_in(const char *text, const char *path, Mountinfo *ret)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	g_auto(Mountinfo) top = { 0 };

	for (char **line = lines; *line; line++)
		parse_line(*line, path, &top); /* the last one is on top */
	if (!top.type)
		return false;
	*ret = top;
	top = (Mountinfo){ 0 };
	return true;
}

bool mountinfo_find(const char *path, Mountinfo *ret)
{
	g_autofree char *text = NULL;

	return g_file_get_contents("/proc/self/mountinfo", &text, NULL, NULL) &&
	       mountinfo_find_in(text, path, ret);
}

void mountinfo_set_readahead(const char *path, size_t bytes)
{
	g_auto(Mountinfo) info = { 0 };
	g_autofree char *file = NULL;
	AUTOFD int fd = -1;

	if (!mountinfo_find(path, &info))
		return;
	file = g_strdup_printf("/sys/class/bdi/%s/read_ahead_kb", info.device);
	fd = open(file, O_WRONLY | O_CLOEXEC);
	if (fd >= 0)
		dprintf(fd, "%zu\n", bytes / 1024);
}
