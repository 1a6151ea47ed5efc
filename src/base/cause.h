#pragma once
#include <glib.h>

/*
 * What the calling thread's last failed read failed at, in words: which block,
 * which devices were tried.  It stands beside the error code, which is all
 * that the layers hand up, as errno does beside -1.  Each thread has its own;
 * it says something only right after a failure.
 */
void cause_set(const char *format, ...) G_GNUC_PRINTF(1, 2);
/* Puts something behind what is there. */
void cause_add(const char *format, ...) G_GNUC_PRINTF(1, 2);
/* Before work whose failure somebody will explain. */
void cause_clear(void);
/* "" if there is none.  Lives until the thread's next failure. */
const char *cause_text(void);

/* error_text() and, for errors that come from what is on disk, the cause behind
 * it.  To be freed. */
char *cause_explain(int err);
