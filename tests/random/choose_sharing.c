#include "generator.h"

/* Extents that several files, or several places of one, have in common. */

enum { FILES = 1 << KIND_FILE };
enum { BLOCK = 4096, MOST_COPIES = 40 };

#define SIZE G_GUINT64_FORMAT

/* A file of the subvolume, or of a snapshot made before; the word is its path. */
static struct node *pick_source(struct generator *g, char **ret_word)
{
	struct tree *own = g->tree;
	const char *name = NULL;
	struct node *file;

	if (g->past->len && one_in(g, 4)) {
		const struct past *past = &g_array_index(g->past, struct past,
							 below(g, g->past->len));

		name = past->name;
		g->tree = past->tree;
	}
	file = pick_node(g, FILES);
	if (file && file->names->len) {
		g_autofree char *word = node_word(g, file);

		*ret_word = name ? g_strdup_printf("../%s/%s", name, word)
				 : g_steal_pointer(&word);
	} else {
		file = NULL;
	}
	g->tree = own;
	return file;
}

static void say_clone(struct generator *g, const char *source, guint64 offset, guint64 len,
		      struct node *to, guint64 at)
{
	g_autofree char *target = node_word(g, to);

	if (at + len < to->size) /* only the end of a file may be unaligned */
		len = len / BLOCK * BLOCK;
	if (!len)
		return;
	say(g, "clone %s %" SIZE " %" SIZE " %s %" SIZE "\n", source, offset, len, target, at);
	to->size = MAX(to->size, at + len);
}

/* Often whole files; also within a file, also with an unaligned end. */
void choose_clone(struct generator *g)
{
	g_autofree char *source = NULL;
	struct node *from = pick_source(g, &source);
	struct node *to = from && one_in(g, 5) ? from : pick_node(g, FILES);
	guint64 offset, len, at;

	if (!from || !to || !from->size || !to->names->len)
		return;
	if (to == from) /* not the one in a snapshot */
		to = g_str_has_prefix(source, "../") ? pick_node(g, FILES) : from;
	if (!to || !to->names->len)
		return;
	offset = one_in(g, 2) ? 0 : below(g, (unsigned)from->size) / BLOCK * BLOCK;
	len = one_in(g, 2) ? from->size - offset : (guint64)BLOCK * (1 + below(g, 40));
	at = one_in(g, 2) ? 0 : pick_offset(g, to->size) / BLOCK * BLOCK;
	say_clone(g, source, offset, MIN(len, from->size - offset), to, at);
}

/* One range again and again: into one file, or into new ones. */
void choose_many_clones(struct generator *g)
{
	g_autofree char *source = NULL;
	struct node *from = pick_source(g, &source), *to = pick_node(g, FILES);
	const unsigned n = 2 + below(g, MOST_COPIES);
	const bool into_one = one_in(g, 2);
	struct node *dir = pick_dir(g);
	guint64 len;

	if (!from || from->size < BLOCK || !to || !to->names->len)
		return;
	len = MIN(from->size / BLOCK, 1 + below(g, 20)) * BLOCK;
	for (unsigned i = 0; i < n; i++) {
		if (!into_one) {
			g_autofree char *name = g_strdup_printf("c%u", g->n_names++);
			g_autofree char *word = path_word(dir, name);

			to = tree_add(g->tree, dir, name, KIND_FILE);
			say(g, "mkfile %s\n", word);
		}
		say_clone(g, source, 0, len, to, into_one ? (to->size + BLOCK - 1) / BLOCK * BLOCK : 0);
	}
}

/* The same content written twice, and then made one. */
void choose_dedupe(struct generator *g)
{
	struct node *a = pick_node(g, FILES), *b = pick_node(g, FILES);
	const unsigned len = BLOCK * (1 + below(g, 30)), seed = below(g, 100000);
	g_autofree char *from = NULL, *to = NULL;
	guint64 at, there;

	if (!a || !b || !a->names->len || !b->names->len)
		return;
	from = node_word(g, a);
	to = node_word(g, b);
	at = pick_offset(g, a->size) % (1 << 20) / BLOCK * BLOCK;
	there = pick_offset(g, b->size) % (1 << 20) / BLOCK * BLOCK;
	if (a == b && (at < there ? there - at : at - there) < len)
		there = at + len;
	say(g, "write %s %" SIZE " %u %u\n", from, at, len, seed);
	say(g, "write %s %" SIZE " %u %u\n", to, there, len, seed);
	a->size = MAX(a->size, at + len);
	b->size = MAX(b->size, there + len);
	say(g, "dedupe %s %" SIZE " %u %s %" SIZE "\n", from, at, len, to, there);
}
