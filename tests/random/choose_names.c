#include "generator.h"
#include <string.h>

enum { MOST_DEPTH = 7, MANY_LINKS = 60, VERY_MANY_LINKS = 400, MANY_DIRS = 70, LARGE_DIR = 500 };

enum {
	FILES = 1 << KIND_FILE,
	DIRS = 1 << KIND_DIR,
	SUBVOLS = 1 << KIND_SUBVOL,
	NO_DIRS = FILES | 1 << KIND_SYMLINK | 1 << KIND_SPECIAL,
	ALL = NO_DIRS | DIRS,
};

struct node *pick_node(struct generator *g, unsigned kinds)
{
	for (unsigned i = 0; i < 40; i++) {
		struct node *node = g->tree->nodes->pdata[below(g, g->tree->nodes->len)];

		if (kinds & 1u << node->kind)
			return node;
	}
	return NULL;
}

struct node *pick_dir(struct generator *g)
{
	struct node *dir = one_in(g, 6) ? NULL : pick_node(g, DIRS);

	return dir && node_depth(dir) < MOST_DEPTH ? dir : g->tree->root;
}

struct entry *pick_entry(struct generator *g, unsigned kinds)
{
	struct node *node = pick_node(g, kinds);

	return node && node->names->len ? node->names->pdata[below(g, node->names->len)] : NULL;
}

static char *entry_word(const struct entry *entry)
{
	return path_word(entry->dir, entry->name);
}

char *node_word(struct generator *g, struct node *node)
{
	return node->names->len ? entry_word(node->names->pdata[below(g, node->names->len)])
				: g_strdup(".");
}

const char *colliding_name(struct generator *g)
{
	/* equal CRC-32C, the hash of names and xattrs */
	static const char *const names[] = { "zycmxyb", "btxemac", "zwhpytd",
					     "bzsxlle", "yelgqvd", "ahwodne" };

	return names[below(g, G_N_ELEMENTS(names))];
}

static char *any_name(struct generator *g)
{
	static const char *const few[] = { "a", "b", "bb", "bbb", "c", "d", "dd", "e",
					   "f", "foo", "foobar", "x", "y", "z" };
	static const char *const odd[] = { "with space", "-dash", "tab\there", "line\nend",
					   "\xc3\xa4\xc3\xb6", "\xff\xfe", "per%cent", "back\\slash" };
	char longest[256];

	switch (below(g, 24)) {
	case 0:
		return g_strdup(colliding_name(g));
	case 1:
		return g_strdup(odd[below(g, G_N_ELEMENTS(odd))]);
	case 2: /* like the temporary names of send */
		return g_strdup_printf("o%u-%u-0", 257 + below(g, 24), 6 + below(g, 8));
	case 3:
		memset(longest, 'l', sizeof(longest));
		longest[one_in(g, 2) ? 255 : 100 + below(g, 100)] = '\0';
		return g_strdup(longest);
	case 4:
	case 5:
	case 6:
		return g_strdup_printf("n%u", g->n_names++);
	}
	return g_strdup(few[below(g, G_N_ELEMENTS(few))]);
}

char *pick_name(struct generator *g, const struct node *dir)
{
	for (unsigned i = 0; i < 8; i++) {
		char *name = any_name(g);

		if (!node_find(dir, name))
			return name;
		g_free(name);
	}
	return g_strdup_printf("m%u", g->n_names++);
}

static struct node *make(struct generator *g, const char *operation, enum kind kind,
			 const char *more)
{
	struct node *dir = pick_dir(g);
	g_autofree char *name = pick_name(g, dir);
	g_autofree char *word = path_word(dir, name);

	say(g, "%s %s%s\n", operation, word, more);
	return tree_add(g->tree, dir, name, kind);
}

void choose_mkfile(struct generator *g)
{
	struct node *file = make(g, "mkfile", KIND_FILE, "");

	if (!one_in(g, 3))
		write_somewhere(g, file);
}

void choose_mkdir(struct generator *g)
{
	make(g, "mkdir", KIND_DIR, "");
}

void choose_symlink(struct generator *g)
{
	g_autofree char *target = any_name(g);
	g_autofree char *word = word_of(target);
	g_autofree char *more = g_strconcat(" ", one_in(g, 3) ? "../" : "", word, NULL);

	make(g, "symlink", KIND_SYMLINK, more);
}

void choose_special(struct generator *g)
{
	static const char *const types[] = { "p 0 0", "s 0 0", "c 1 3", "c 5 300", "b 7 0",
					     "b 259 65537" };
	g_autofree char *more = g_strconcat(" ", types[below(g, G_N_ELEMENTS(types))], NULL);

	make(g, "mknod", KIND_SPECIAL, more);
}

static void unlink_entry(struct generator *g, struct entry *entry)
{
	g_autofree char *word = entry_word(entry);
	const enum kind kind = entry->node->kind;

	say(g, "%s %s\n", kind == KIND_DIR ? "rmdir" : kind == KIND_SUBVOL ? "delsubvol" : "unlink",
	    word);
	tree_unlink(g->tree, entry);
}

void choose_unlink(struct generator *g)
{
	struct entry *entry = pick_entry(g, NO_DIRS);

	if (entry)
		unlink_entry(g, entry);
}

static void remove_tree(struct generator *g, struct entry *entry)
{
	while (entry->node->entries->len)
		remove_tree(g, entry->node->entries->pdata[0]);
	unlink_entry(g, entry);
}

void choose_rmdir(struct generator *g)
{
	for (unsigned i = 0; i < 10; i++) {
		struct entry *entry = pick_entry(g, DIRS);

		if (entry && !entry->node->entries->len)
			return unlink_entry(g, entry);
	}
}

void choose_rmtree(struct generator *g)
{
	struct entry *entry = pick_entry(g, DIRS);

	if (entry)
		remove_tree(g, entry);
}

static void rename_entry(struct generator *g, struct entry *entry, struct node *dir,
			 const char *name)
{
	g_autofree char *from = entry_word(entry), *to = path_word(dir, name);
	struct entry *there = node_find(dir, name);

	say(g, "rename %s %s\n", from, to);
	if (there == entry || (there && there->node == entry->node))
		return; /* two names of one file: nothing happens */
	if (there)
		tree_unlink(g->tree, there);
	tree_move(entry, dir, name);
}

static void rename_any(struct generator *g, unsigned kinds)
{
	struct entry *entry = pick_entry(g, kinds);
	struct node *dir = pick_dir(g);
	g_autofree char *name = NULL;

	if (!entry || node_is_below(dir, entry->node))
		return;
	if (one_in(g, 3))
		dir = entry->dir;
	name = one_in(g, 3) && !node_find(dir, entry->name) ? g_strdup(entry->name)
							    : pick_name(g, dir);
	rename_entry(g, entry, dir, name);
}

void choose_rename(struct generator *g)
{
	rename_any(g, ALL | SUBVOLS);
}

void choose_rename_dir(struct generator *g)
{
	rename_any(g, DIRS);
}

void choose_rename_over(struct generator *g)
{
	const bool dirs = one_in(g, 3);
	struct entry *entry = pick_entry(g, dirs ? DIRS : NO_DIRS);

	for (unsigned i = 0; entry && i < 10; i++) {
		struct entry *there = pick_entry(g, dirs ? DIRS : NO_DIRS);
		g_autofree char *name = NULL;

		if (!there || there == entry || there->node->entries->len ||
		    node_is_below(there->dir, entry->node))
			continue;
		name = g_strdup(there->name);
		rename_entry(g, entry, there->dir, name);
		return;
	}
}

void choose_exchange(struct generator *g)
{
	struct entry *a = pick_entry(g, one_in(g, 2) ? DIRS : ALL);
	struct entry *b = pick_entry(g, one_in(g, 2) ? DIRS : ALL);
	g_autofree char *from = NULL, *to = NULL;

	if (!a || !b || a->node == b->node || node_is_below(a->dir, b->node) ||
	    node_is_below(b->dir, a->node))
		return;
	from = entry_word(a);
	to = entry_word(b);
	say(g, "exchange %s %s\n", from, to);
	tree_exchange(a, b);
}

static void link_into(struct generator *g, struct node *node, struct node *dir, const char *name)
{
	g_autofree char *from = node_word(g, node), *to = path_word(dir, name);

	say(g, "link %s %s\n", from, to);
	tree_link(dir, name, node);
}

void choose_link(struct generator *g)
{
	struct node *node = pick_node(g, NO_DIRS);
	struct node *dir = pick_dir(g);
	g_autofree char *name = pick_name(g, dir);

	if (node)
		link_into(g, node, dir, name);
}

/* Long names, so that they do not fit one item and extended ones are used. */
void choose_many_links(struct generator *g)
{
	struct node *node = pick_node(g, FILES);
	struct node *dir = pick_dir(g);
	const unsigned most = one_in(g, 4) ? VERY_MANY_LINKS : MANY_LINKS;
	const unsigned n = 5 + below(g, most), len = one_in(g, 2) ? 3 : 200;

	for (unsigned i = 0; node && i < n; i++) {
		g_autofree char *name = g_strdup_printf("%0*u", (int)len, g->n_names++);

		link_into(g, node, dir, name);
	}
}

/* More entries than fit a leaf; some of them go or move afterwards. */
void choose_large_dir(struct generator *g)
{
	const unsigned n = 50 + below(g, LARGE_DIR);
	struct node *parent = pick_dir(g), *to = pick_dir(g), *dir;
	g_autofree char *dir_name = pick_name(g, parent);
	g_autofree char *dir_word = path_word(parent, dir_name);

	say(g, "mkdir %s\n", dir_word);
	dir = tree_add(g->tree, parent, dir_name, KIND_DIR);
	for (unsigned i = 0; i < n; i++) {
		g_autofree char *name = g_strdup_printf("e%u", g->n_names++);
		g_autofree char *word = path_word(dir, name);

		say(g, "mkfile %s\n", word);
		tree_add(g->tree, dir, name, KIND_FILE);
	}
	for (unsigned i = below(g, 40); i > 0; i--) {
		struct entry *entry = dir->entries->pdata[below(g, dir->entries->len)];
		g_autofree char *name = g_strdup_printf("v%u", g->n_names++);

		if (one_in(g, 2))
			unlink_entry(g, entry);
		else
			rename_entry(g, entry, to, name);
	}
}

/* More directories than the list of directory times holds. */
void choose_many_dirs(struct generator *g)
{
	struct node *parent = pick_dir(g);
	const unsigned n = 10 + below(g, MANY_DIRS);

	for (unsigned i = 0; i < n; i++) {
		g_autofree char *name = g_strdup_printf("k%u", g->n_names++);
		g_autofree char *word = path_word(parent, name);
		struct node *dir = tree_add(g->tree, parent, name, KIND_DIR);
		g_autofree char *file = path_word(dir, "f");

		say(g, "mkdir %s\n", word);
		if (one_in(g, 4))
			continue;
		say(g, "mkfile %s\n", file);
		tree_add(g->tree, dir, "f", KIND_FILE);
	}
}

/*
 * The highest inode numbers are freed, and given again after the file system
 * has been mounted anew, half the time to something else of the same name.
 */
void choose_reuse(struct generator *g)
{
	const unsigned n = 1 + below(g, 4);

	for (unsigned i = 0; i < n && g->tree->nodes->len > 2; i++) {
		struct node *last = NULL;
		struct node *dir;
		enum kind kind;
		g_autofree char *name = NULL, *word = NULL;

		for (guint j = 1; j < g->tree->nodes->len; j++) {
			struct node *node = g->tree->nodes->pdata[j];

			if (node->kind != KIND_SUBVOL && (!last || node->serial > last->serial))
				last = node;
		}
		if (!last || last->entries->len)
			break;
		dir = ((struct entry *)last->names->pdata[0])->dir;
		name = g_strdup(((struct entry *)last->names->pdata[0])->name);
		for (guint left = last->names->len; left > 0; left--)
			unlink_entry(g, last->names->pdata[left - 1]);
		if (i == 0 || one_in(g, 3)) {
			say(g, "remount\n");
			forget_holds(g);
		}
		if (one_in(g, 3))
			continue;
		word = path_word(dir, name);
		kind = one_in(g, 2) ? KIND_DIR : KIND_FILE;
		say(g, kind == KIND_DIR ? "mkdir %s\n" : "mkfile %s\n", word);
		tree_add(g->tree, dir, name, kind);
	}
}

void choose_subvol(struct generator *g)
{
	make(g, "subvol", KIND_SUBVOL, "");
}

void choose_delsubvol(struct generator *g)
{
	struct entry *entry = pick_entry(g, SUBVOLS);

	if (entry)
		unlink_entry(g, entry);
}
