#pragma once
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * The names of one subvolume, as far as the generator of histories must know
 * them to choose operations that mostly succeed.  Only memory; an operation
 * that fails for real does no harm, the model is then a little off.
 */
enum kind { KIND_FILE, KIND_DIR, KIND_SYMLINK, KIND_SPECIAL, KIND_SUBVOL };

struct node {
	enum kind kind;
	unsigned serial; /* rises with the inode number */
	uint64_t size;
	GPtrArray *names;   /* struct entry that lead here; none for the root */
	GPtrArray *entries; /* of a directory: struct entry in it */
	GPtrArray *xattrs;  /* names */
};

struct entry {
	struct node *dir, *node;
	char *name;
};

struct tree {
	struct node *root;
	GPtrArray *nodes; /* owned; the root is the first */
	unsigned next_serial;
};

struct tree *tree_new(void);
struct tree *tree_copy(const struct tree *tree);
void tree_free(struct tree *tree);

struct node *tree_add(struct tree *tree, struct node *dir, const char *name, enum kind kind);
struct entry *tree_link(struct node *dir, const char *name, struct node *node);

/* Removes a name; a node without names goes, with all below it. */
void tree_unlink(struct tree *tree, struct entry *entry);
void tree_move(struct entry *entry, struct node *dir, const char *name);
void tree_exchange(struct entry *a, struct entry *b);

struct entry *node_find(const struct node *dir, const char *name);
bool node_is_below(const struct node *node, const struct node *ancestor); /* or the same */
unsigned node_depth(const struct node *dir);

/* The path of @name in @dir as one word of a history; @name NULL: of @dir. */
char *path_word(const struct node *dir, const char *name);

/* One word of a history from any text, and back. */
char *word_of(const char *text);
char *word_text(const char *word);
