#pragma once
#include "model.h"

/* A snapshot that has been made. */
struct past {
	const char *name;
	struct tree *tree;
};

/* What choosing operations works on: chance, the model, the text so far. */
struct generator {
	guint64 state;
	GString *out;
	struct tree *tree;  /* of the subvolume at hand */
	GPtrArray *holds;   /* names of descriptors kept open */
	GArray *past;	    /* struct past */
	unsigned n_names;   /* running number for names that are new */
	unsigned n_holds;
};

guint64 chance(struct generator *g);
unsigned below(struct generator *g, unsigned limit); /* limit > 0 */
bool one_in(struct generator *g, unsigned n);

#define say(g, ...) g_string_append_printf((g)->out, __VA_ARGS__)

/* Random ones of what is there; NULL if there is none. */
struct node *pick_node(struct generator *g, unsigned kinds); /* bits 1 << KIND_x */
struct node *pick_dir(struct generator *g);		     /* not too deep, or the root */
struct entry *pick_entry(struct generator *g, unsigned kinds);
char *node_word(struct generator *g, struct node *node); /* by any of its names */

/* An offset in or around a file of @size bytes. */
guint64 pick_offset(struct generator *g, guint64 size);

/* A name that is free in @dir. */
char *pick_name(struct generator *g, const struct node *dir);

/* Two names with the same hash in a directory and as an xattr. */
const char *colliding_name(struct generator *g);

typedef void (*choose_fn)(struct generator *g);

/* choose_names.c */
void choose_mkfile(struct generator *g);
void choose_mkdir(struct generator *g);
void choose_symlink(struct generator *g);
void choose_special(struct generator *g);
void choose_unlink(struct generator *g);
void choose_rmdir(struct generator *g);
void choose_rmtree(struct generator *g);
void choose_rename(struct generator *g);
void choose_rename_over(struct generator *g);
void choose_rename_dir(struct generator *g);
void choose_exchange(struct generator *g);
void choose_link(struct generator *g);
void choose_many_links(struct generator *g);
void choose_large_dir(struct generator *g);
void choose_many_dirs(struct generator *g);
void choose_reuse(struct generator *g);
void choose_subvol(struct generator *g);
void choose_delsubvol(struct generator *g);
void forget_holds(struct generator *g);

/* choose_data.c */
void write_somewhere(struct generator *g, struct node *file);
void choose_write(struct generator *g);
void choose_rewrite(struct generator *g); /* of a whole small file */
void choose_truncate(struct generator *g);
void choose_fallocate(struct generator *g);
void choose_punch(struct generator *g);
void choose_fsync(struct generator *g);
void choose_setxattr(struct generator *g);
void choose_rmxattr(struct generator *g);
void choose_security(struct generator *g); /* capabilities, ACLs */
void choose_attributes(struct generator *g);
void choose_flags(struct generator *g);
void choose_hold(struct generator *g);
void choose_release(struct generator *g);
void choose_tmpfile(struct generator *g);

/* choose_sharing.c */
void choose_clone(struct generator *g);
void choose_many_clones(struct generator *g);
void choose_dedupe(struct generator *g);
