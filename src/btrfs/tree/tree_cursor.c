#include "btrfs/tree/tree_place.h"

/* What one cursor may have on its way. */
#define AHEAD_BYTES ((size_t)1024 * 1024)

struct TreeCursor {
	struct tree tree;
	struct tree_ahead ahead;
	/* Indexed by level.  Filled from the root down to a leaf, or the root
	 * alone, or nothing. */
	struct tree_place way[NODE_N_LEVELS];
	bool standing; /* at way[0].slot */
	uint64_t descents;
};

/* Where a walk down goes in each node: towards a key, or along an edge. */
enum side { TO_KEY, TO_FIRST, TO_LAST };

struct aim {
	enum side side;
	struct key key; /* for TO_KEY */
};

TreeCursor *tree_cursor_new(const struct tree *tree, enum tree_readahead readahead)
{
	TreeCursor *cursor = g_new0(TreeCursor, 1);

	cursor->tree = *tree;
	if (readahead == TREE_READAHEAD_FORWARD)
		cursor->ahead = tree_ahead_for(tree->store, AHEAD_BYTES, 0);
	return cursor;
}

void tree_cursor_free(TreeCursor *cursor)
{
	if (!cursor)
		return;
	for (unsigned level = 0; level < NODE_N_LEVELS; level++)
		tree_place_clear(&cursor->way[level]);
	g_free(cursor);
}

static unsigned slot_for(const Node *node, const struct aim *aim)
{
	switch (aim->side) {
	case TO_FIRST:
		return 0;
	case TO_LAST:
		return node->n_items - 1;
	case TO_KEY:
		break;
	}
	return node->level ? tree_place_slot_for(node, &aim->key) :
			     node_lower_bound(node, &aim->key);
}

/* Reads the way from way[level] down into way[0 .. level - 1]; on failure
 * nothing is left there. */
static int walk_down(TreeCursor *cursor, struct tree_place *way, unsigned level,
		     const struct aim *aim)
{
	struct tree_place *above = level < cursor->tree.level ? &cursor->way[level + 1] : NULL;

	for (unsigned at = level; at > 0; above = &way[at--]) {
		int r;

		tree_place_read_ahead(cursor->tree.store, &way[at], above, &cursor->ahead);
		r = tree_place_child(cursor->tree.store, &way[at], &way[at - 1]);
		if (r < 0) {
			while (at < level)
				tree_place_clear(&way[at++]);
			return r;
		}
		way[at - 1].slot = slot_for(way[at - 1].node, aim);
	}
	return 0;
}

/* Goes to @slot of the node at @level and from there down to a leaf.  On
 * failure the cursor has not moved. */
static int enter(TreeCursor *cursor, unsigned level, unsigned slot, const struct aim *aim)
{
	struct tree_place way[NODE_N_LEVELS];
	int r;

	way[level] = cursor->way[level];
	way[level].slot = slot;
	r = walk_down(cursor, way, level, aim);
	if (r < 0)
		return r;
	for (unsigned at = 0; at < level; at++) {
		tree_place_clear(&cursor->way[at]);
		cursor->way[at] = way[at];
	}
	cursor->way[level] = way[level];
	return 0;
}

static int take_root(TreeCursor *cursor)
{
	struct tree_place root;
	int r;

	r = tree_place_root(&cursor->tree, &root);
	if (r == 0)
		cursor->way[cursor->tree.level] = root;
	return r;
}

/* The lowest node on the way that covers @key: seldom the root. */
static unsigned covering_level(const TreeCursor *cursor, const struct key *key)
{
	const unsigned top = cursor->tree.level;

	for (unsigned level = 0; level < top; level++) {
		const struct tree_place *place = &cursor->way[level];

		if (place->node && key_compare(&place->low, key) <= 0 &&
		    key_compare(key, &place->high) < 0)
			return level;
	}
	return top;
}

/* As node_lower_bound(), in few steps where the key is near. */
static unsigned leaf_slot_for(const struct tree_place *place, const struct key *key)
{
	for (unsigned slot = place->slot; slot < place->node->n_items && slot < place->slot + 2;
	     slot++) {
		const struct key at = node_key(place->node, slot);
		const int order = key_compare(&at, key);

		if (order == 0 || (order > 0 && slot > place->slot))
			return slot;
		if (order > 0)
			break;
	}
	return node_lower_bound(place->node, key);
}

/* To the leaf that covers @key, and there to the first item that is not less:
 * perhaps behind the last one. */
static int approach(TreeCursor *cursor, const struct key *key)
{
	const unsigned top = cursor->tree.level;
	unsigned level;
	int r = 0;

	if (top >= NODE_N_LEVELS)
		return -EUCLEAN;
	if (!cursor->way[top].node)
		r = take_root(cursor);
	if (r < 0)
		return r;
	level = covering_level(cursor, key);
	if (level == 0) {
		cursor->way[0].slot = leaf_slot_for(&cursor->way[0], key);
		return 0;
	}
	if (level == top)
		cursor->descents++;
	return enter(cursor, level, tree_place_slot_for(cursor->way[level].node, key),
		     &(struct aim){ .side = TO_KEY, .key = *key });
}

static int next_leaf(TreeCursor *cursor)
{
	const unsigned top = cursor->tree.level;

	for (unsigned level = 1; level <= top; level++) {
		const struct tree_place *place = &cursor->way[level];

		if (place->slot + 1 < place->node->n_items)
			return enter(cursor, level, place->slot + 1,
				     &(struct aim){ .side = TO_FIRST });
	}
	return -ENOENT;
}

static int previous_leaf(TreeCursor *cursor)
{
	const unsigned top = cursor->tree.level;

	for (unsigned level = 1; level <= top; level++) {
		const struct tree_place *place = &cursor->way[level];

		if (place->slot > 0)
			return enter(cursor, level, place->slot - 1,
				     &(struct aim){ .side = TO_LAST });
	}
	return -ENOENT;
}

/* Whether the item at way[0].slot has just this key. */
static bool at_key(const TreeCursor *cursor, const struct key *key)
{
	const struct tree_place *leaf = &cursor->way[0];
	struct key at;

	if (leaf->slot >= leaf->node->n_items)
		return false;
	at = node_key(leaf->node, leaf->slot);
	return key_compare(&at, key) == 0;
}

int tree_cursor_seek(TreeCursor *cursor, const struct key *key)
{
	int r = approach(cursor, key);

	if (r < 0)
		return r;
	if (cursor->way[0].slot >= cursor->way[0].node->n_items) {
		cursor->standing = false;
		r = next_leaf(cursor);
	}
	cursor->standing = r == 0;
	return r;
}

int tree_cursor_seek_before(TreeCursor *cursor, const struct key *key)
{
	int r = approach(cursor, key);

	if (r < 0)
		return r;
	if (!at_key(cursor, key)) {
		if (cursor->way[0].slot > 0)
			cursor->way[0].slot--;
		else
			r = previous_leaf(cursor);
	}
	cursor->standing = r == 0;
	return r;
}

int tree_cursor_find(TreeCursor *cursor, const struct key *key)
{
	const int r = approach(cursor, key);

	if (r < 0)
		return r;
	cursor->standing = cursor->way[0].slot < cursor->way[0].node->n_items;
	return at_key(cursor, key) ? 0 : -ENOENT;
}

int tree_cursor_next(TreeCursor *cursor)
{
	if (!cursor->standing)
		return -ENOENT;
	if (cursor->way[0].slot + 1 >= cursor->way[0].node->n_items)
		return next_leaf(cursor);
	cursor->way[0].slot++;
	return 0;
}

int tree_cursor_prev(TreeCursor *cursor)
{
	if (!cursor->standing)
		return -ENOENT;
	if (cursor->way[0].slot == 0)
		return previous_leaf(cursor);
	cursor->way[0].slot--;
	return 0;
}

struct key tree_cursor_key(const TreeCursor *cursor)
{
	return node_key(cursor->way[0].node, cursor->way[0].slot);
}

struct span tree_cursor_item(const TreeCursor *cursor)
{
	return node_item(cursor->way[0].node, cursor->way[0].slot);
}

const Node *tree_cursor_leaf(const TreeCursor *cursor)
{
	return cursor->way[0].node;
}

unsigned tree_cursor_slot(const TreeCursor *cursor)
{
	return cursor->way[0].slot;
}

struct tree tree_cursor_tree(const TreeCursor *cursor)
{
	return cursor->tree;
}

uint64_t tree_cursor_descents(const TreeCursor *cursor)
{
	return cursor->descents;
}
