#include "model.h"
#include <string.h>

static struct node *node_new(struct tree *tree, enum kind kind)
{
	struct node *node = g_new0(struct node, 1);

	node->kind = kind;
	node->serial = tree->next_serial++;
	node->names = g_ptr_array_new();
	node->entries = g_ptr_array_new();
	node->xattrs = g_ptr_array_new_with_free_func(g_free);
	g_ptr_array_add(tree->nodes, node);
	return node;
}

static void node_free(void *data)
{
	struct node *node = data;

	g_ptr_array_unref(node->names);
	g_ptr_array_unref(node->entries);
	g_ptr_array_unref(node->xattrs);
	g_free(node);
}

static void entry_free(struct entry *entry)
{
	g_free(entry->name);
	g_free(entry);
}

struct tree *tree_new(void)
{
	struct tree *tree = g_new0(struct tree, 1);

	tree->nodes = g_ptr_array_new_with_free_func(node_free);
	tree->root = node_new(tree, KIND_DIR);
	return tree;
}

void tree_free(struct tree *tree)
{
	for (guint i = 0; i < tree->nodes->len; i++) {
		struct node *node = tree->nodes->pdata[i];

		for (guint j = 0; j < node->entries->len; j++)
			entry_free(node->entries->pdata[j]);
	}
	g_ptr_array_unref(tree->nodes);
	g_free(tree);
}

struct entry *tree_link(struct node *dir, const char *name, struct node *node)
{
	struct entry *entry = g_new(struct entry, 1);

	*entry = (struct entry){ .dir = dir, .node = node, .name = g_strdup(name) };
	g_ptr_array_add(dir->entries, entry);
	g_ptr_array_add(node->names, entry);
	return entry;
}

struct node *tree_add(struct tree *tree, struct node *dir, const char *name, enum kind kind)
{
	struct node *node = node_new(tree, kind);

	tree_link(dir, name, node);
	return node;
}

/* Keeps the order of entries and nodes, so that choices by index repeat. */
struct tree *tree_copy(const struct tree *tree)
{
	struct tree *copy = tree_new();
	g_autoptr(GHashTable) twins = g_hash_table_new(NULL, NULL);

	copy->root->serial = tree->root->serial;
	g_hash_table_insert(twins, tree->root, copy->root);
	for (guint i = 1; i < tree->nodes->len; i++) {
		const struct node *node = tree->nodes->pdata[i];
		struct node *twin = node_new(copy, node->kind);

		twin->serial = node->serial;
		twin->size = node->size;
		for (guint j = 0; j < node->xattrs->len; j++)
			g_ptr_array_add(twin->xattrs, g_strdup(node->xattrs->pdata[j]));
		g_hash_table_insert(twins, tree->nodes->pdata[i], twin);
	}
	for (guint i = 0; i < tree->nodes->len; i++) {
		const struct node *node = tree->nodes->pdata[i];

		for (guint j = 0; j < node->entries->len; j++) {
			const struct entry *entry = node->entries->pdata[j];

			tree_link(copy->nodes->pdata[i], entry->name,
				  g_hash_table_lookup(twins, entry->node));
		}
	}
	copy->next_serial = tree->next_serial;
	return copy;
}

void tree_unlink(struct tree *tree, struct entry *entry)
{
	struct node *node = entry->node;

	g_ptr_array_remove(entry->dir->entries, entry);
	g_ptr_array_remove(node->names, entry);
	entry_free(entry);
	if (node->names->len)
		return;
	while (node->entries->len)
		tree_unlink(tree, node->entries->pdata[node->entries->len - 1]);
	g_ptr_array_remove(tree->nodes, node);
}

void tree_move(struct entry *entry, struct node *dir, const char *name)
{
	char *copy = g_strdup(name);

	g_ptr_array_remove(entry->dir->entries, entry);
	g_free(entry->name);
	entry->name = copy;
	entry->dir = dir;
	g_ptr_array_add(dir->entries, entry);
}

void tree_exchange(struct entry *a, struct entry *b)
{
	struct node *node = a->node;

	g_ptr_array_remove(a->node->names, a);
	g_ptr_array_remove(b->node->names, b);
	a->node = b->node;
	b->node = node;
	g_ptr_array_add(a->node->names, a);
	g_ptr_array_add(b->node->names, b);
}

struct entry *node_find(const struct node *dir, const char *name)
{
	for (guint i = 0; i < dir->entries->len; i++) {
		struct entry *entry = dir->entries->pdata[i];

		if (strcmp(entry->name, name) == 0)
			return entry;
	}
	return NULL;
}

static const struct node *node_parent(const struct node *node)
{
	return node->names->len ? ((struct entry *)node->names->pdata[0])->dir : NULL;
}

bool node_is_below(const struct node *node, const struct node *ancestor)
{
	while (node && node != ancestor)
		node = node_parent(node);
	return node;
}

unsigned node_depth(const struct node *dir)
{
	unsigned depth = 0;

	while ((dir = node_parent(dir)))
		depth++;
	return depth;
}

char *word_of(const char *text)
{
	GString *word = g_string_new(NULL);

	for (; *text; text++)
		if (g_ascii_isalnum(*text) || strchr("/._-+", *text))
			g_string_append_c(word, *text);
		else
			g_string_append_printf(word, "%%%02x", (guint8)*text);
	return g_string_free(word, FALSE);
}

char *word_text(const char *word)
{
	GString *text = g_string_new(NULL);

	for (; *word; word++)
		if (*word == '%' && g_ascii_isxdigit(word[1]) && g_ascii_isxdigit(word[2])) {
			int value = g_ascii_xdigit_value(word[1]) << 4 | g_ascii_xdigit_value(word[2]);

			g_string_append_c(text, (gchar)value);
			word += 2;
		} else {
			g_string_append_c(text, *word);
		}
	return g_string_free(text, FALSE);
}

char *path_word(const struct node *dir, const char *name)
{
	g_autoptr(GString) path = g_string_new(name);

	while (dir->names->len) {
		const struct entry *entry = dir->names->pdata[0];

		if (path->len)
			g_string_prepend_c(path, '/');
		g_string_prepend(path, entry->name);
		dir = entry->dir;
	}
	return word_of(path->len ? path->str : ".");
}
