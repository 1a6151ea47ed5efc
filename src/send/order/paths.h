#pragma once
#include "send/order/moves.h"
#include "send/wire/variant.h"

/*
 * What inodes are called at this point of the receiving side.
 * docs/send-order.md, sections 4.3 and 5.
 */
typedef struct Paths Paths;

#define PATH_MOST 4095u

/* A path: components separated by one '/', no terminating NUL. */
struct path {
	uint32_t len;
	char bytes[PATH_MOST + 1];
};

static inline struct span path_span(const struct path *path)
{
	return span_of(path->bytes, path->len);
}

static inline void path_copy(struct path *to, const struct path *from)
{
	to->len = from->len;
	memcpy(to->bytes, from->bytes, from->len);
}

/* Adds a component.  -ENAMETOOLONG: longer than PATH_MOST then. */
int path_append(struct path *path, struct span name);

/* Both must outlive the result. */
Paths *paths_new(const struct standing *standing, const Moves *moves);
void paths_free(Paths *paths); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Paths, paths_free)

/* "o<number>-<generation>-<index>", free in the root directories of both. */
int paths_orphan_name(Paths *paths, struct inode_id id, struct name *ret);

/* Name and parent of one inode, section 5.1.  1 if the path ends here (an
 * orphan name; *ret_parent is then the root directory), 0 if not. */
int paths_name_and_parent(Paths *paths, struct inode_id id, struct name *ret_name,
			  struct inode_id *ret_parent);

/* The current path.  -ENAMETOOLONG also where it would never end. */
int paths_current(Paths *paths, struct inode_id id, struct path *ret);

/*
 * The same for a command that not all variants of the stream have: the memo
 * keeps what each protocol has called the current inode.  @variants: that want
 * it, not none; *ret_variants: those of them that it is for.  The others have
 * another: ask again.
 */
int paths_current_in(Paths *paths, unsigned variants, struct inode_id id, struct path *ret,
		     unsigned *ret_variants);

/* The name cache must not answer for @id any more: it has been renamed. */
void paths_forget(Paths *paths, struct inode_id id);

/* The memo: the remembered path of the current inode, section 5.3. */
void paths_memo_set(Paths *paths, const struct path *path);
void paths_memo_empty(Paths *paths);
/* Empties it if @path begins with it, as a string. */
void paths_memo_empty_if_start_of(Paths *paths, struct span path);
