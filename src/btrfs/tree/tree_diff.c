#include "btrfs/tree/tree_diff.h"
#include "btrfs/tree/tree_place.h"

/* What one comparison may have on its way. */
#define AHEAD_BYTES ((size_t)8 * 1024 * 1024)

/*
 * One of the two trees.  It stands at an item of a leaf (level 0) or at a
 * pointer of a node above: everything before that has been dealt with, and
 * nothing below it has been looked at.
 */
struct half {
	NodeStore *store;
	struct tree_ahead ahead;
	struct tree_place way[NODE_N_LEVELS];
	unsigned top, level;
	bool ended;
	/* Until the first step on, the way down leads to diff->first. */
	bool on_edge;
};

struct TreeDiff {
	struct tree new_tree, old_tree;
	struct key first;
	bool has_old, begun, shares;
	struct half new_half, old_half;
	/* Whose item the last event was, and must be left before the next. */
	bool leave_new, leave_old;
	int error;
};

static const struct tree_place *place_of(const struct half *half)
{
	return &half->way[half->level];
}

static struct key key_of(const struct half *half)
{
	return node_key(place_of(half)->node, place_of(half)->slot);
}

/* From behind the end of a node to what follows it. */
static void half_rise(struct half *half)
{
	while (place_of(half)->slot >= place_of(half)->node->n_items) {
		half->on_edge = false;
		tree_place_clear(&half->way[half->level]);
		if (half->level == half->top) {
			half->ended = true;
			return;
		}
		half->level++;
		half->way[half->level].slot++;
	}
}

static void half_leave(struct half *half)
{
	half->on_edge = false;
	half->way[half->level].slot++;
	half_rise(half);
}

/* To where the items that are not less than @first begin. */
static void half_settle(struct half *half, const struct key *first)
{
	struct tree_place *place = &half->way[half->level];

	if (half->on_edge)
		place->slot = half->level ? tree_place_slot_for(place->node, first) :
					    node_lower_bound(place->node, first);
	half_rise(half);
}

static int half_begin(struct half *half, const struct tree *tree, const struct key *first)
{
	struct tree_place root;
	int r;

	r = tree_place_root(tree, &root);
	if (r < 0)
		return r;
	half->store = tree->store;
	half->top = half->level = tree->level;
	half->way[tree->level] = root;
	half->on_edge = true;
	half_settle(half, first);
	return 0;
}

/*
 * Which blocks of the old tree are needed cannot be told by generations.  But a
 * leaf of it whose key lies in the range of the node of level 1 where the new
 * tree stands, and which that node does not point to, is not shared.
 */
static void look_beside(struct TreeDiff *diff)
{
	const struct tree_place *beside = &diff->new_half.way[1];

	diff->old_half.ahead = diff->new_half.ahead;
	diff->old_half.ahead.newer_than = 0;
	diff->old_half.ahead.unlike = beside;
	if (!diff->shares || diff->old_half.level != 1 || !beside->node)
		diff->old_half.ahead.n_leaves = 0;
}

static int half_descend(struct half *half, const struct key *first)
{
	struct tree_place *place = &half->way[half->level];
	int r;

	tree_place_read_ahead(half->store, place, half->level < half->top ? place + 1 : NULL,
			      &half->ahead);
	r = tree_place_child(half->store, place, &half->way[half->level - 1]);
	if (r < 0)
		return r;
	half->level--;
	half_settle(half, first);
	return 0;
}

static void half_clear(struct half *half)
{
	for (unsigned level = 0; level < NODE_N_LEVELS; level++)
		tree_place_clear(&half->way[level]);
}

TreeDiff *tree_diff_new(const struct tree *new_tree, const struct tree *old_tree,
			const struct key *first)
{
	TreeDiff *diff = g_new0(TreeDiff, 1);

	diff->new_tree = *new_tree;
	diff->first = *first;
	diff->has_old = old_tree != NULL;
	if (old_tree) {
		diff->old_tree = *old_tree;
		diff->shares = old_tree->store == new_tree->store;
	}
	diff->new_half.ahead = tree_ahead_for(new_tree->store, AHEAD_BYTES,
					      old_tree ? old_tree->generation : 0);
	return diff;
}

void tree_diff_free(TreeDiff *diff)
{
	if (!diff)
		return;
	half_clear(&diff->new_half);
	half_clear(&diff->old_half);
	g_free(diff);
}

static bool same_root(const TreeDiff *diff)
{
	return diff->shares && diff->new_tree.logical == diff->old_tree.logical &&
	       diff->new_tree.generation == diff->old_tree.generation &&
	       diff->new_tree.level == diff->old_tree.level;
}

static int diff_begin(TreeDiff *diff)
{
	int r;

	diff->begun = true;
	if (same_root(diff)) {
		diff->new_half.ended = diff->old_half.ended = true;
		return 0;
	}
	r = half_begin(&diff->new_half, &diff->new_tree, &diff->first);
	if (r < 0)
		return r;
	if (!diff->has_old) {
		diff->old_half.ended = true;
		return 0;
	}
	return half_begin(&diff->old_half, &diff->old_tree, &diff->first);
}

static void describe_new(const struct half *half, struct tree_event *ret)
{
	const struct tree_place *leaf = place_of(half);

	ret->key = node_key(leaf->node, leaf->slot);
	ret->new_item = node_item(leaf->node, leaf->slot);
	ret->first_in_leaf = leaf->slot == 0;
	ret->leaf_logical = leaf->node->logical;
	ret->leaf_owner = leaf->node->owner;
}

static void describe_old(const struct half *half, struct tree_event *ret)
{
	const struct tree_place *leaf = place_of(half);

	ret->key = node_key(leaf->node, leaf->slot);
	ret->old_item = node_item(leaf->node, leaf->slot);
}

static void describe(const TreeDiff *diff, struct tree_event *ret)
{
	*ret = (struct tree_event){ .change = diff->leave_old ? TREE_REMOVED : TREE_ADDED };
	if (diff->leave_old)
		describe_old(&diff->old_half, ret);
	if (diff->leave_new)
		describe_new(&diff->new_half, ret);
	if (diff->leave_new && diff->leave_old)
		ret->change = span_equal(ret->new_item, ret->old_item) ? TREE_SAME : TREE_CHANGED;
}

/* Both stand at pointers with the same key at the same level. */
static bool same_subtree(const TreeDiff *diff)
{
	const struct tree_place *a = place_of(&diff->new_half), *b = place_of(&diff->old_half);

	return diff->shares &&
	       node_child_logical(a->node, a->slot) == node_child_logical(b->node, b->slot) &&
	       node_child_generation(a->node, a->slot) == node_child_generation(b->node, b->slot);
}

/* <0: the new tree's place comes first; >0: the old tree's. */
static int which_first(const TreeDiff *diff)
{
	struct key new_key, old_key;

	if (diff->new_half.ended || diff->old_half.ended)
		return diff->new_half.ended ? 1 : -1;
	new_key = key_of(&diff->new_half);
	old_key = key_of(&diff->old_half);
	return key_compare(&new_key, &old_key);
}

/*
 * One step: 1 if there is an event of the items where the halves stand that
 * diff->leave_new and leave_old name, 0 if there is more to do.
 *
 * The half that stands at the smaller key goes on alone.  With equal keys the
 * higher one descends first, so that both come past the pointers to a shared
 * block at the same time: its first key is the same in both trees, and
 * neither passes over it while the other has yet to reach it.
 */
static int diff_step(TreeDiff *diff)
{
	struct half *new_half = &diff->new_half, *old_half = &diff->old_half;
	const int order = which_first(diff);
	bool new_goes = order <= 0, old_goes = order >= 0;
	int r = 0;

	if (order == 0 && new_half->level != old_half->level) {
		new_goes = new_half->level > old_half->level;
		old_goes = !new_goes;
	} else if (order == 0 && new_half->level > 0 && same_subtree(diff)) {
		half_leave(new_half);
		half_leave(old_half);
		return 0;
	}
	if ((new_goes ? new_half : old_half)->level == 0) {
		diff->leave_new = new_goes;
		diff->leave_old = old_goes;
		return 1;
	}
	if (new_goes)
		r = half_descend(new_half, &diff->first);
	if (r == 0 && old_goes) {
		look_beside(diff);
		r = half_descend(old_half, &diff->first);
	}
	return r;
}

static int diff_advance(TreeDiff *diff)
{
	int r = diff->begun ? 0 : diff_begin(diff);

	if (diff->leave_new)
		half_leave(&diff->new_half);
	if (diff->leave_old)
		half_leave(&diff->old_half);
	diff->leave_new = diff->leave_old = false;
	while (r == 0 && !(diff->new_half.ended && diff->old_half.ended))
		r = diff_step(diff);
	return r;
}

int tree_diff_next(TreeDiff *diff, struct tree_event *ret)
{
	int r = diff->error;

	if (r == 0)
		r = diff_advance(diff);
	if (r < 0)
		diff->error = r;
	if (r == 1)
		describe(diff, ret);
	return r;
}
