#pragma once
#include <stdbool.h>

/*
 * What the negative errno values mean everywhere below the view.  A function
 * that fails has changed none of its outputs.
 *
 *   -ENOENT      what was asked for is not there (a key, a root, a name)
 *   -EUCLEAN     a structure from disk is not as the format demands
 *   -EBADMSG     no copy matches its checksum
 *   -EIO         a device could not be read
 *   -ESTALE      the file system has moved on: the root or its generation
 *                is no longer what it was when the work began
 *   -EOPNOTSUPP  a format feature that is not supported
 *   -ENOMEM      memory for something sized by the disk could not be had
 *   -ECANCELED   the work was called off because nobody waits for it
 */

/* Whether @err can come of blocks whose place a later commit has given to
 * others: looking again, as of that commit, may help. */
bool error_may_be_overtaken(int err);

/* One English clause for @err (a negative errno): the table above, else
 * strerror().  The text is static.  Any thread. */
const char *error_text(int err);
