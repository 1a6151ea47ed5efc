#include "btrfs/backref/internal.h"
#include "btrfs/tree/tree_descend.h"

/* The block one level above @level on the way from the root of subvolume @id to
 * @key; or the root itself being what is asked for. */
static int step_up(RefSources *sources, uint64_t id, const struct key *key, uint8_t level,
		   struct block_ref *ret)
{
	g_autoptr(Node) parent = NULL;
	struct tree tree;
	int r = ref_sources_tree(sources, id, &tree);

	if (r)
		return r;
	if (tree.level == level) {
		*ret = (struct block_ref){ .is_root = true, .value = id };
		return 0;
	}
	if (tree.level < level)
		return -ENOENT;
	r = tree_descend(&tree, key, (uint8_t)(level + 1), &parent);
	if (r == 0)
		*ret = (struct block_ref){ .value = parent->logical };
	return r;
}

int find_block_refs(RefSources *sources, uint64_t logical, uint64_t most_refs, GArray **ret)
{
	g_autoptr(GArray) found = g_array_new(FALSE, FALSE, sizeof(struct block_ref));
	g_autoptr(GArray) refs = g_array_new(FALSE, FALSE, sizeof(struct extent_ref));
	struct extent_refs block = { .refs = refs };
	struct key first_key = { 0 };
	int r = ref_sources_read(sources, logical, most_refs, &block);

	if (r && r != -ENOENT)
		return r;
	for (guint i = 0; i < refs->len; i++) {
		const struct extent_ref *ref = &g_array_index(refs, struct extent_ref, i);
		struct block_ref up = { .value = ref->parent };

		if (ref->kind == EXTENT_REF_KEYED_BLOCK) {
			if (i == 0) {
				g_autoptr(Node) node = NULL;

				r = ref_sources_block(sources, logical, &node);
				if (r)
					return r;
				if (node->n_items)
					first_key = node_key(node, 0);
			}
			r = step_up(sources, ref->root, &first_key, block.level, &up);
			if (r == -ENOENT)
				continue;
			if (r)
				return r;
		} else if (ref->kind != EXTENT_REF_SHARED_BLOCK) {
			return -EUCLEAN;
		}
		g_array_append_val(found, up);
	}
	*ret = g_steal_pointer(&found);
	return 0;
}
