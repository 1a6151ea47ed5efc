#pragma once

/*
 * Leaving the terminal, without the parent returning before the work of the
 * daemon can be seen.
 */

/*
 * Forks; call it before there are threads.  The parent stays in here until
 * the child calls background_ready() (then exits with 0) or ends (then exits
 * with the child's status; the child has said why).  The child returns with
 * a descriptor for background_ready(), or -errno if there is no child.
 */
int background_begin(void);

/* In the child: leaves the terminal and lets the parent go. @fd is closed. */
void background_ready(int fd);
