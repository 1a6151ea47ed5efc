#pragma once
#include "send/order/context.h"

/* Commands that more than one step needs.  Errors: of the sink, of the
 * readers. */
int emit_path(struct sender *sender, enum command_type type, struct span path);
int emit_two_paths(struct sender *sender, enum command_type type, struct span path,
		   struct span other);

/* @command for the current inode: puts in its current path first.  Only for
 * variants that it is really sent in: asking for the path fills the memo,
 * which decides what later commands call the inode. */
int emit_for_current(struct sender *sender, struct command *command);

/* The command that makes inode @ino of the new snapshot under its orphan name. */
int emit_create(struct sender *sender, uint64_t ino);

/* UTIMES for @id: its current path, the new snapshot's times. */
int emit_utimes(struct sender *sender, struct inode_id id);
