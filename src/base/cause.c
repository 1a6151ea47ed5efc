#include "base/cause.h"
#include "base/error.h"
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Longer ones are cut. */
static _Thread_local char cause[1024];

void cause_set(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(cause, sizeof(cause), format, args);
	va_end(args);
}

void cause_add(const char *format, ...)
{
	const size_t len = strlen(cause);
	va_list args;

	va_start(args, format);
	vsnprintf(cause + len, sizeof(cause) - len, format, args);
	va_end(args);
}

void cause_clear(void)
{
	cause[0] = '\0';
}

const char *cause_text(void)
{
	return cause;
}

static bool comes_from_disk(int err)
{
	return err == -EIO || err == -EBADMSG || err == -EUCLEAN || err == -ESTALE;
}

char *cause_explain(int err)
{
	if (cause[0] == '\0' || !comes_from_disk(err))
		return g_strdup(error_text(err));
	return g_strdup_printf("%s: %s", error_text(err), cause);
}
