#include "base/log.h"
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <syslog.h>

struct Log {
	enum log_level most;
	atomic_bool syslog;
};

Log *log_new(enum log_level most)
{
	Log *log = g_new0(Log, 1);

	log->most = most;
	atomic_init(&log->syslog, false);
	return log;
}

void log_free(Log *log)
{
	g_free(log);
}

void log_to_syslog(Log *log)
{
	openlog("sendfs", LOG_PID, LOG_DAEMON);
	atomic_store(&log->syslog, true);
}

static int syslog_priority(enum log_level level)
{
	switch (level) {
	case LOG_LEVEL_ERROR:
		return LOG_ERR;
	case LOG_LEVEL_WARNING:
		return LOG_WARNING;
	case LOG_LEVEL_INFO:
		return LOG_INFO;
	case LOG_LEVEL_DEBUG:
		return LOG_DEBUG;
	}
	return LOG_ERR;
}

/* What is not printable text becomes \xNN, byte by byte: a file's name must
 * not be able to steer a terminal or to begin a line of its own. */
static void append_escaped(GString *line, const char *text)
{
	while (*text) {
		gunichar c = g_utf8_get_char_validated(text, -1);
		bool valid = c != (gunichar)-1 && c != (gunichar)-2;
		const char *next = text + (valid ? g_unichar_to_utf8(c, NULL) : 1);

		if (valid && g_unichar_isprint(c)) {
			g_string_append_len(line, text, next - text);
			text = next;
			continue;
		}
		for (; text < next; text++)
			g_string_append_printf(line, "\\x%02x", (unsigned char)*text);
	}
}

void log_line(Log *log, enum log_level level, const char *format, ...)
{
	g_autofree char *text = NULL;
	g_autoptr(GString) line = NULL;
	va_list args;

	if (!log || level > log->most)
		return;
	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	line = g_string_new(NULL);
	append_escaped(line, text);
	if (atomic_load(&log->syslog)) {
		syslog(LOG_DAEMON | syslog_priority(level), "%s", line->str);
		return;
	}
	/* One call, so that lines of different threads do not mix. */
	fprintf(stderr, "sendfs: %s\n", line->str);
}
