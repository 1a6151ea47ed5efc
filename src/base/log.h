#pragma once
#include <glib.h>

/*
 * Where lines for a person go.  Layers below the view return errors and do
 * not log; the exception is a fact that no return value carries, such as a
 * bad copy of a block that another copy made good.
 *
 * A Log may be used from any number of threads at once.
 */
typedef struct Log Log;

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARNING, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };

/* Lines go to stderr or, after log_to_syslog(), to syslog as facility daemon.
 * Lines above @most are dropped. */
Log *log_new(enum log_level most);
void log_free(Log *log); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Log, log_free)

/* For a daemon that has left its terminal. */
void log_to_syslog(Log *log);

/* One line without a newline; control characters in it are escaped.
 * A NULL @log drops it. */
void log_line(Log *log, enum log_level level, const char *format, ...) G_GNUC_PRINTF(3, 4);
