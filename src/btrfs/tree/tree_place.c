#include "btrfs/tree/tree_place.h"
#include "base/cause.h"

#define MOST_LEAVES_AT_A_TIME 256u

void tree_place_clear(struct tree_place *place)
{
	node_unref(g_steal_pointer(&place->node));
}

int tree_place_root(const struct tree *tree, struct tree_place *ret)
{
	const struct node_want want = {
		.logical = tree->logical,
		.generation = tree->generation,
		.level = tree->level,
	};
	Node *node;
	const int r = node_store_get(tree->store, &want, &node);

	if (r < 0) {
		cause_add(", the root of tree %" G_GUINT64_FORMAT, tree->id);
		return r;
	}
	*ret = (struct tree_place){ .node = node, .high = KEY_MAX };
	return 0;
}

static struct node_want want_child(const Node *node, unsigned slot)
{
	return (struct node_want){
		.logical = node_child_logical(node, slot),
		.generation = node_child_generation(node, slot),
		.level = (uint8_t)(node->level - 1),
		.has_first_key = true,
		.first_key = node_key(node, slot),
	};
}

int tree_place_child(NodeStore *store, const struct tree_place *above, struct tree_place *ret)
{
	const struct node_want want = want_child(above->node, above->slot);
	struct tree_place place = {
		/* What is less than the first key of all goes left all the way. */
		.low = above->slot > 0 ? want.first_key : above->low,
		.high = above->slot + 1 < above->node->n_items ?
				node_key(above->node, above->slot + 1) :
				above->high,
		.ahead = above->slot == above->next_slot ? above->next_ahead : 0,
	};
	const int r = node_store_get(store, &want, &place.node);
	struct key last;

	if (r < 0) {
		cause_add(", below %" G_GUINT64_FORMAT " of tree %" G_GUINT64_FORMAT,
			  above->node->logical, above->node->owner);
		return r;
	}
	/* No walk may see a key twice: a forged tree whose nodes overlap could
	 * be walked for ever. */
	last = node_key(place.node, place.node->n_items - 1);
	if (key_compare(&last, &place.high) >= 0) {
		tree_place_clear(&place);
		return -EUCLEAN;
	}
	*ret = place;
	return 0;
}

struct node_want tree_place_want(const struct tree_place *place, unsigned slot)
{
	return want_child(place->node, slot);
}

unsigned tree_place_slot_for(const Node *node, const struct key *key)
{
	const unsigned slot = node_lower_bound(node, key);

	if (slot < node->n_items) {
		const struct key at = node_key(node, slot);

		if (key_compare(&at, key) == 0)
			return slot;
	}
	return slot > 0 ? slot - 1 : 0;
}

struct tree_ahead tree_ahead_for(const NodeStore *store, size_t most_bytes,
					 uint64_t newer_than)
{
	const size_t most = node_store_readahead_window(store, most_bytes);

	/* Two batches at a time; see tree_place_read_ahead(). */
	return (struct tree_ahead){
		.n_leaves = most == 0 ? 0 :
					(unsigned)CLAMP(most / 2, 1, MOST_LEAVES_AT_A_TIME),
		.newer_than = newer_than,
	};
}

/* Children to be asked for. */
struct picks {
	struct node_want wants[MOST_LEAVES_AT_A_TIME];
	unsigned slots[MOST_LEAVES_AT_A_TIME];
	unsigned n, end; /* @end: the first slot not looked at */
};

/* Does @place's node point to the same block as @node at @slot? */
static bool points_to_same(const struct tree_place *place, const Node *node, unsigned slot,
			   const struct key *key)
{
	const unsigned other = node_lower_bound(place->node, key);

	return other < place->node->n_items &&
	       node_child_logical(place->node, other) == node_child_logical(node, slot) &&
	       node_child_generation(place->node, other) == node_child_generation(node, slot);
}

static bool is_wanted(const Node *node, unsigned slot, const struct tree_ahead *what)
{
	const struct key key = node_key(node, slot);

	if (node_child_generation(node, slot) <= what->newer_than)
		return false;
	return !what->unlike || (key_compare(&key, &what->unlike->low) >= 0 &&
				 !points_to_same(what->unlike, node, slot, &key));
}

/* What can be said of the child at @slot: false if it is out of reach. */
static bool in_reach(const Node *node, unsigned slot, const struct tree_ahead *what)
{
	const struct key key = node_key(node, slot);

	return !what->unlike || key_compare(&key, &what->unlike->high) < 0;
}

static unsigned next_wanted(const Node *node, unsigned slot, const struct tree_ahead *what)
{
	while (slot < node->n_items && in_reach(node, slot, what) && !is_wanted(node, slot, what))
		slot++;
	return slot;
}

static void pick(const Node *node, unsigned slot, unsigned most, const struct tree_ahead *what,
		 struct picks *ret)
{
	ret->n = 0;
	for (slot = next_wanted(node, slot, what);
	     slot < node->n_items && in_reach(node, slot, what) && ret->n < most;
	     slot = next_wanted(node, slot + 1, what)) {
		ret->slots[ret->n] = slot;
		ret->wants[ret->n++] = want_child(node, slot);
	}
	ret->end = slot;
}

/* Returns the first slot that has not been asked for then. */
static unsigned ask(NodeStore *store, const struct picks *picks)
{
	const size_t taken = node_store_prefetch(store, picks->wants, picks->n);

	return taken < picks->n ? picks->slots[taken] : picks->end;
}

static void read_ahead_next(NodeStore *store, struct tree_place *above,
			    const struct tree_ahead *what)
{
	const unsigned slot = next_wanted(above->node, above->slot + 1, what);
	g_autoptr(Node) next = NULL;
	struct node_want want;
	struct picks picks;

	if (slot >= above->node->n_items || above->next_slot == slot)
		return;
	want = want_child(above->node, slot);
	next = node_store_peek(store, &want);
	if (!next)
		return;
	pick(next, 0, what->n_leaves, what, &picks);
	above->next_ahead = ask(store, &picks);
	above->next_slot = slot;
}

void tree_place_read_ahead(NodeStore *store, struct tree_place *place, struct tree_place *above,
			   const struct tree_ahead *what)
{
	const unsigned most = place->node->level > 1 ? MIN(what->n_leaves, 1u) : what->n_leaves;
	const unsigned slot = MAX(place->ahead, place->slot + 1);
	struct picks picks;

	if (most == 0 || place->slot < place->ahead_mark)
		return;
	if (slot >= place->node->n_items) {
		if (place->node->level == 1 && above)
			read_ahead_next(store, above, what);
		return;
	}
	pick(place->node, slot, most, what, &picks);
	place->ahead = picks.n > 0 ? ask(store, &picks) : picks.end;
	if (picks.n > 0 && place->ahead > picks.slots[0])
		place->ahead_mark = picks.slots[0];
}
