#pragma once
#include "send/order/context.h"

/* Section 9.1 of docs/send-order.md: everything that comes after the
 * references and contents of the current inode. */
int finish_inode(struct sender *sender);

/* Section 9.3: UTIMES for directories above the limit of the list. */
int trim_dir_times(struct sender *sender);
/* The same for all that are left, at the end of the stream. */
int flush_dir_times(struct sender *sender);
