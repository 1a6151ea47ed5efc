#pragma once
#include <stdbool.h>
#include <sys/types.h>

/*
 * Whether the thread @tid, whose request the kernel has called interrupted, has
 * a signal to attend to: one that is pending, not blocked, and does not merely
 * stop it.  Who is stopped and continued, by job control or a suspended
 * machine, wants to go on waiting, not EINTR.  true if that cannot be told (a
 * thread that is gone, or of another pid namespace).
 */
bool caller_must_go(pid_t tid);
