#include "view/node_table.h"
#include "base/lock.h"

struct NodeTable {
	uint8_t fsid[16];
	pthread_mutex_t lock; /* all below, and the table's part of each node */
	GHashTable *by_id;    /* &node->id -> node */
	GHashTable *by_identity;
	/* identity -> how often its stream has come out otherwise; seldom any */
	GHashTable *replaced;
	uint64_t last_id;
};

static GBytes *identity_of(const NodeTable *table, const struct node_wish *wish)
{
	return identity_new(table->fsid, wish->kind, wish->variant, wish->pair, wish->directory);
}

/* Under the lock, as node_new(). */
static unsigned n_replaced(const NodeTable *table, GBytes *identity)
{
	return GPOINTER_TO_UINT(g_hash_table_lookup(table->replaced, identity));
}

static ViewNode *node_new(NodeTable *table, const struct node_wish *wish, GBytes *identity)
{
	ViewNode *node = g_new0(ViewNode, 1);

	node->table = table;
	node->kind = wish->kind;
	node->variant = wish->variant;
	node->pair = view_pair_ref(wish->pair);
	node->directory = g_strdup(wish->directory);
	node->identity = g_bytes_ref(identity);
	node->n_replaced = n_replaced(table, identity);
	node->ino = wish->kind == VIEW_ROOT ? VIEW_ROOT_INO :
					      identity_ino(identity, node->n_replaced);
	return node;
}

static void node_free(ViewNode *node)
{
	view_pair_clear(&node->pair);
	g_free(node->directory);
	g_free(node->text);
	g_bytes_unref(node->identity);
	g_free(node);
}

static void add_root(NodeTable *table)
{
	const struct view_pair none = { 0 };
	const struct node_wish wish = { VIEW_ROOT, STREAM_V1, &none, "" };
	g_autoptr(GBytes) identity = identity_of(table, &wish);
	ViewNode *root = node_new(table, &wish, identity);

	root->id = table->last_id = VIEW_ROOT_ID;
	root->refs = 1; /* never goes */
	g_hash_table_insert(table->by_id, &root->id, root);
}

NodeTable *node_table_new(const uint8_t fsid[16])
{
	NodeTable *table = g_new0(NodeTable, 1);

	memcpy(table->fsid, fsid, sizeof(table->fsid));
	pthread_mutex_init(&table->lock, NULL);
	table->by_id = g_hash_table_new(g_int64_hash, g_int64_equal);
	table->by_identity = g_hash_table_new(g_bytes_hash, g_bytes_equal);
	table->replaced = g_hash_table_new_full(g_bytes_hash, g_bytes_equal,
						(GDestroyNotify)g_bytes_unref, NULL);
	add_root(table);
	return table;
}

void node_table_free(NodeTable *table)
{
	GHashTableIter iter;
	gpointer node;

	if (!table)
		return;
	g_hash_table_iter_init(&iter, table->by_id);
	while (g_hash_table_iter_next(&iter, NULL, &node)) {
		g_hash_table_iter_remove(&iter);
		node_free(node);
	}
	g_hash_table_unref(table->by_id);
	g_hash_table_unref(table->by_identity);
	g_hash_table_unref(table->replaced);
	pthread_mutex_destroy(&table->lock);
	g_free(table);
}

/* Takes a node that nobody knows any more out of the table; true: free it. */
static bool locked_drop(NodeTable *table, ViewNode *node)
{
	if (node->lookups > 0 || node->refs > 0)
		return false;
	g_hash_table_remove(table->by_id, &node->id);
	if (!node->retired)
		g_hash_table_remove(table->by_identity, node->identity);
	return true;
}

ViewNode *node_table_lookup(NodeTable *table, const struct node_wish *wish)
{
	g_autoptr(GBytes) identity = identity_of(table, wish);
	ViewNode *node;

	LOCK_SCOPE(&table->lock);
	node = g_hash_table_lookup(table->by_identity, identity);
	if (!node) {
		node = node_new(table, wish, identity);
		node->id = ++table->last_id;
		g_hash_table_insert(table->by_id, &node->id, node);
		g_hash_table_insert(table->by_identity, node->identity, node);
	}
	node->lookups++;
	node->refs++;
	return node;
}

uint64_t node_table_ino(NodeTable *table, const struct node_wish *wish)
{
	g_autoptr(GBytes) identity = identity_of(table, wish);

	LOCK_SCOPE(&table->lock);
	return identity_ino(identity, n_replaced(table, identity));
}

ViewNode *node_table_get(NodeTable *table, uint64_t id)
{
	ViewNode *node;

	LOCK_SCOPE(&table->lock);
	node = g_hash_table_lookup(table->by_id, &id);
	if (node)
		node->refs++;
	return node;
}

static bool put_reference(NodeTable *table, ViewNode *node)
{
	LOCK_SCOPE(&table->lock);
	node->refs--;
	return locked_drop(table, node);
}

void view_node_unref(ViewNode *node)
{
	if (node && put_reference(node->table, node))
		node_free(node);
}

static ViewNode *forget(NodeTable *table, uint64_t id, uint64_t n)
{
	ViewNode *node;

	LOCK_SCOPE(&table->lock);
	node = g_hash_table_lookup(table->by_id, &id);
	if (!node)
		return NULL;
	node->lookups -= MIN(n, node->lookups);
	return locked_drop(table, node) ? node : NULL;
}

void node_table_forget(NodeTable *table, uint64_t id, uint64_t n)
{
	ViewNode *gone = forget(table, id, n);

	if (gone)
		node_free(gone);
}

static void locked_retire(NodeTable *table, ViewNode *node)
{
	if (node->retired)
		return;
	node->retired = true;
	g_hash_table_remove(table->by_identity, node->identity);
	g_hash_table_insert(table->replaced, g_bytes_ref(node->identity),
			    GUINT_TO_POINTER(node->n_replaced + 1));
}

bool view_node_settle(ViewNode *node, uint64_t size, uint64_t digest, char *text)
{
	NodeTable *table = node->table;
	g_autofree char *own_text = text;

	LOCK_SCOPE(&table->lock);
	if (!node->ready) {
		node->size = size;
		node->digest = digest;
		node->text = g_steal_pointer(&own_text);
		node->ready = true;
		return true;
	}
	if (node->size == size && node->digest == digest)
		return true;
	locked_retire(table, node);
	return false;
}

size_t node_table_count(NodeTable *table)
{
	LOCK_SCOPE(&table->lock);
	return g_hash_table_size(table->by_id) - 1;
}
