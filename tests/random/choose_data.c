#include "generator.h"

enum { FILES = 1 << KIND_FILE, DIRS = 1 << KIND_DIR, SYMLINKS = 1 << KIND_SYMLINK };
enum {
	BLOCK = 4096,
	MOST_SIZE = 3 << 20,
};

/* A length: inline, a few blocks, around the largest WRITE and compressed
 * extent, or large. */
static unsigned pick_len(struct generator *g)
{
	switch (below(g, 8)) {
	case 0:
	case 1:
		return 1 + below(g, 2100);
	case 2:
		return 4090 + below(g, 12);
	case 3:
		return BLOCK * (1 + below(g, 8));
	case 4:
		return 49152 - 3 + below(g, 6);
	case 5:
		return BLOCK * (1 + below(g, 80));
	case 6:
		return one_in(g, 3) ? 131072 + below(g, 300000) : 1 + below(g, 30000);
	}
	return 1 + below(g, 12000);
}

guint64 pick_offset(struct generator *g, guint64 size)
{
	const unsigned most = (unsigned)MIN(size, MOST_SIZE) + 1;

	switch (below(g, 8)) {
	case 0:
	case 1:
		return 0;
	case 2:
		return size;
	case 3:
		return size + below(g, 100000);
	case 4:
	case 5:
		return below(g, most) / BLOCK * BLOCK;
	case 6:
		return (below(g, most) + 3 * BLOCK) / BLOCK * BLOCK;
	}
	return below(g, most);
}

static void say_write(struct generator *g, struct node *file, guint64 offset, unsigned len)
{
	g_autofree char *word = node_word(g, file);

	say(g, "write %s %" G_GUINT64_FORMAT " %u %u\n", word, offset, len, below(g, 100000));
	file->size = MAX(file->size, offset + len);
}

void write_somewhere(struct generator *g, struct node *file)
{
	guint64 offset = pick_offset(g, file->size);

	if (offset > MOST_SIZE)
		offset %= MOST_SIZE;
	say_write(g, file, offset, pick_len(g));
}

void choose_write(struct generator *g)
{
	struct node *file = pick_node(g, FILES);

	if (!file)
		return;
	for (unsigned n = one_in(g, 4) ? 1 + below(g, 8) : 1; n > 0; n--)
		write_somewhere(g, file);
}

void choose_rewrite(struct generator *g)
{
	struct node *file = pick_node(g, FILES);

	if (file)
		say_write(g, file, 0, 1 + below(g, 3000));
}

void choose_truncate(struct generator *g)
{
	struct node *file = pick_node(g, FILES);
	g_autofree char *word = NULL;

	if (!file)
		return;
	word = node_word(g, file);
	if (one_in(g, 4))
		file->size = 0;
	else
		file->size = pick_offset(g, file->size) % MOST_SIZE;
	say(g, "truncate %s %" G_GUINT64_FORMAT "\n", word, file->size);
}

static void range_operation(struct generator *g, const char *mode, bool grows)
{
	struct node *file = pick_node(g, FILES);
	g_autofree char *word = NULL;
	guint64 offset;
	unsigned len;

	if (!file)
		return;
	word = node_word(g, file);
	offset = pick_offset(g, file->size);
	len = pick_len(g);
	if (one_in(g, 2)) {
		offset = offset / BLOCK * BLOCK;
		len = (len + BLOCK - 1) / BLOCK * BLOCK;
	}
	say(g, "fallocate %s %s %" G_GUINT64_FORMAT " %u\n", word, mode, offset, len);
	if (grows)
		file->size = MAX(file->size, offset + len);
}

void choose_fallocate(struct generator *g)
{
	const bool grow = one_in(g, 2);

	range_operation(g, grow ? "grow" : "keep", grow);
}

void choose_punch(struct generator *g)
{
	static const char *const modes[] = { "punch", "punch", "zero", "zerokeep" };
	const unsigned i = below(g, G_N_ELEMENTS(modes));

	range_operation(g, modes[i], i == 2);
}

void choose_fsync(struct generator *g)
{
	struct node *file = pick_node(g, FILES);
	g_autofree char *word = file ? node_word(g, file) : NULL;

	if (word)
		say(g, "fsync %s\n", word);
}

void choose_setxattr(struct generator *g)
{
	struct node *node = pick_node(g, FILES | DIRS | SYMLINKS);
	const char *space = node && node->kind == KIND_SYMLINK ? "trusted" : "user";
	g_autofree char *word = NULL, *name = NULL;
	unsigned len;

	if (!node)
		return;
	word = node_word(g, node);
	if (one_in(g, 3) && node->xattrs->len)
		name = g_strdup(node->xattrs->pdata[below(g, node->xattrs->len)]);
	else if (one_in(g, 3))
		name = g_strdup_printf("%s.%s", space, colliding_name(g));
	else
		name = g_strdup_printf("%s.%c%0*u", one_in(g, 5) ? "trusted" : space,
				       'a' + (char)below(g, 3), one_in(g, 8) ? 200 : 1, below(g, 10));
	len = one_in(g, 6) ? 0 : one_in(g, 8) ? below(g, 3800) : below(g, 40);
	say(g, "setxattr %s %s %u %u\n", word, name, len, below(g, 100000));
	if (!g_ptr_array_find_with_equal_func(node->xattrs, name, g_str_equal, NULL))
		g_ptr_array_add(node->xattrs, g_steal_pointer(&name));
}

void choose_rmxattr(struct generator *g)
{
	for (unsigned i = 0; i < 20; i++) {
		struct node *node = pick_node(g, FILES | DIRS | SYMLINKS);
		g_autofree char *word = NULL;
		guint which;

		if (!node || !node->xattrs->len)
			continue;
		word = node_word(g, node);
		which = below(g, node->xattrs->len);
		say(g, "rmxattr %s %s\n", word, (char *)node->xattrs->pdata[which]);
		g_ptr_array_remove_index(node->xattrs, which);
		return;
	}
}

void choose_security(struct generator *g)
{
	struct node *node = pick_node(g, FILES | DIRS);
	g_autofree char *word = node ? node_word(g, node) : NULL;

	if (!word)
		return;
	switch (below(g, 6)) {
	case 0:
	case 1:
		say(g, "setcap %s %u\n", word, 1u << below(g, 30));
		return;
	case 2:
		say(g, "rmxattr %s security.capability\n", word);
		return;
	case 3: /* beginnings of the capability's name */
		say(g, "setxattr %s security.%s %u 7\n", word, one_in(g, 2) ? "cap" : "capabilit",
		    below(g, 9));
		return;
	}
	if (one_in(g, 3))
		say(g, "rmxattr %s system.posix_acl_access\n", word);
	else
		say(g, "acl %s %s %u\n", word,
		    node->kind == KIND_DIR && one_in(g, 2) ? "default" : "access", below(g, 8));
}

void choose_attributes(struct generator *g)
{
	struct node *node = pick_node(g, ~0u);
	g_autofree char *word = node ? node_word(g, node) : NULL;

	if (!word || node->kind == KIND_SUBVOL)
		return;
	switch (below(g, 3)) {
	case 0:
		if (node->kind != KIND_SYMLINK)
			say(g, "chmod %s %o\n", word, below(g, 010000));
		return;
	case 1:
		say(g, "chown %s %u %u\n", word, below(g, 4) * 1000, below(g, 3) * 100);
		return;
	}
	say(g, "utimes %s %d %d %u\n", word, (int)below(g, 2000000000) - 100000,
	    one_in(g, 8) ? -5 : (int)below(g, 2000000000), below(g, 1000000000));
}

void choose_flags(struct generator *g)
{
	/* nodump, noatime, compress, nocow, none */
	static const char *const compressions[] = { "zlib", "lzo", "zstd" };
	static const unsigned flags[] = { 0x40, 0x80, 0x4, 0x800000, 0 };
	struct node *node = pick_node(g, FILES | DIRS);
	g_autofree char *word = node ? node_word(g, node) : NULL;

	if (!word)
		return;
	if (one_in(g, 3))
		say(g, "compression %s %s\n", word, compressions[below(g, 3)]);
	else
		say(g, "flags %s %u\n", word, flags[below(g, G_N_ELEMENTS(flags))]);
}

void forget_holds(struct generator *g)
{
	g_ptr_array_set_size(g->holds, 0);
}

static const char *new_hold(struct generator *g)
{
	char *name = g_strdup_printf("h%u", g->n_holds++);

	g_ptr_array_add(g->holds, name);
	return name;
}

/* Usually its names are then removed. */
void choose_hold(struct generator *g)
{
	struct node *file = pick_node(g, FILES);
	g_autofree char *word = file ? node_word(g, file) : NULL;

	if (!word)
		return;
	say(g, "hold %s %s\n", word, new_hold(g));
	if (one_in(g, 4))
		return;
	for (guint left = file->names->len; left > 0; left--) {
		struct entry *entry = file->names->pdata[left - 1];
		g_autofree char *name = path_word(entry->dir, entry->name);

		say(g, "unlink %s\n", name);
		tree_unlink(g->tree, entry);
	}
}

void choose_release(struct generator *g)
{
	guint which;

	if (!g->holds->len)
		return;
	which = below(g, g->holds->len);
	say(g, "release %s\n", (char *)g->holds->pdata[which]);
	g_ptr_array_remove_index(g->holds, which);
}

void choose_tmpfile(struct generator *g)
{
	struct node *dir = pick_dir(g);
	g_autofree char *word = path_word(dir, NULL);
	const char *hold = new_hold(g);

	say(g, "tmpfile %s %s\n", word, hold);
	g->tree->next_serial++;
	say(g, "writeheld %s 0 %u %u\n", hold, 1 + below(g, 10000), below(g, 1000));
	if (one_in(g, 3)) {
		g_autofree char *name = pick_name(g, dir);
		g_autofree char *path = path_word(dir, name);

		say(g, "linkheld %s %s\n", hold, path);
		tree_add(g->tree, dir, name, KIND_FILE);
	}
}
