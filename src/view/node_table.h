#pragma once
#include "view/identity.h"
#include <stdatomic.h>

/*
 * The nodes that the kernel knows, by the number it knows them by.
 *
 * A node id is given once and never again; it is not the inode number.  A
 * node lives while the kernel remembers it (its lookups) or somebody holds a
 * reference.  Any thread may use the table.
 */
typedef struct NodeTable NodeTable;

#define VIEW_ROOT_ID 1u /* FUSE_ROOT_ID */

typedef struct ViewNode {
	/* Never change. */
	uint64_t id, ino;
	enum view_kind kind;
	enum stream_variant variant;
	struct view_pair pair; /* empty in the root */
	char *directory;       /* "A..B", or "" in the root */
	GBytes *identity;
	unsigned n_replaced; /* nodes before this one, whose plans were others */

	/* The size is known once @ready is true, and stays. For info, so does
	 * the text. Set by view_node_settle(). */
	_Atomic bool ready;
	uint64_t size; /* bytes */
	uint64_t digest; /* of the plan */
	char *text;

	_Atomic bool size_told; /* the kernel has been given the size */

	/* Of the table, under its lock. */
	NodeTable *table;
	uint64_t lookups;
	unsigned refs;
	bool retired;
} ViewNode;

/* What a node is to be; the table takes references of its own. */
struct node_wish {
	enum view_kind kind;
	enum stream_variant variant;
	const struct view_pair *pair;
	const char *directory;
};

NodeTable *node_table_new(const uint8_t fsid[16]);
/* No ViewNode may be in use. */
void node_table_free(NodeTable *table); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NodeTable, node_table_free)

/* The node that is as wished for, made if there is none, with a reference for
 * the caller and one lookup more. */
ViewNode *node_table_lookup(NodeTable *table, const struct node_wish *wish);

/* A reference to node @id, or NULL. */
ViewNode *node_table_get(NodeTable *table, uint64_t id);
void view_node_unref(ViewNode *node); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ViewNode, view_node_unref)

/* The kernel forgets @n lookups of node @id. */
void node_table_forget(NodeTable *table, uint64_t id, uint64_t n);

/* The inode number of the node that node_table_lookup() would give. */
uint64_t node_table_ino(NodeTable *table, const struct node_wish *wish);

/*
 * Makes the size of a file known, and for info its text (taken over in any
 * case).  False if it was known already, of a plan with another digest: then
 * the node is retired, and the next lookup makes a new one with another inode
 * number.
 */
bool view_node_settle(ViewNode *node, uint64_t size, uint64_t digest, char *text);

size_t node_table_count(NodeTable *table); /* without the root */
