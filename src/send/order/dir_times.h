#pragma once
#include "send/order/state.h"

/*
 * Directories whose UTIMES is still to be sent.  Its limit and its order are
 * part of the format.  docs/send-order.md, section 9.3.
 */
typedef struct DirTimes DirTimes;

DirTimes *dir_times_new(void);
void dir_times_free(DirTimes *times); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DirTimes, dir_times_free)

void dir_times_enter(DirTimes *times, struct inode_id dir);

/* Takes off the least recently entered directory if there are more than 64. */
bool dir_times_trim(DirTimes *times, struct inode_id *ret);

/* All, from the most to the least recently entered (struct inode_id); the list
 * is empty afterwards. */
GArray *dir_times_take_all(DirTimes *times);
