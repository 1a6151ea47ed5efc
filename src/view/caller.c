#include "view/caller.h"
#include <glib.h>
#include <inttypes.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>

static uint64_t bit_of(int signal)
{
	return UINT64_C(1) << (signal - 1);
}

/* A set of signals as in proc(5), "NAME:\t%016x". */
static uint64_t signals_of(const char *status, const char *name)
{
	const char *at = strstr(status, name);

	return at ? g_ascii_strtoull(at + strlen(name), NULL, 16) : 0;
}

bool caller_must_go(pid_t tid)
{
	const uint64_t stops = bit_of(SIGSTOP) | bit_of(SIGTSTP) | bit_of(SIGTTIN) | bit_of(SIGTTOU);
	g_autofree char *path = g_strdup_printf("/proc/%d/status", (int)tid);
	g_autofree char *status = NULL;
	uint64_t pending;

	if (tid == 0 || !g_file_get_contents(path, &status, NULL, NULL))
		return true;
	pending = signals_of(status, "\nSigPnd:") | signals_of(status, "\nShdPnd:");
	return (pending & ~signals_of(status, "\nSigBlk:") & ~stops) != 0;
}
