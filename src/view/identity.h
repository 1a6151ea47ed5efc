#pragma once
#include "send/wire/variant.h"
#include "view/pair.h"

/*
 * What makes a node of the view the one it is.
 *
 * Two nodes are the same if and only if their identities are equal bytes.
 * The identity of a stream holds all that its bytes depend on, not the names
 * that led to it: a snapshot that is made anew under an old name is another
 * node, and one stream reached by two names is one node.  Inode numbers are a
 * hash of it, so they outlast the daemon.
 */
enum view_kind { VIEW_ROOT, VIEW_DIRECTORY, VIEW_STREAM, VIEW_INFO };

#define VIEW_ROOT_INO 1u

/* @directory: the name of the directory, which is part of a directory's
 * identity (two names for one pair are two directories). */
GBytes *identity_new(const uint8_t fsid[16], enum view_kind kind, enum stream_variant variant,
		     const struct view_pair *pair, const char *directory);

/* The inode number, after the stream has come out otherwise @n_replaced times;
 * neither 0 nor VIEW_ROOT_INO. */
uint64_t identity_ino(GBytes *identity, unsigned n_replaced);
