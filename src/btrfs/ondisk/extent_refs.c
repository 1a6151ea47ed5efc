#include "btrfs/ondisk/extent_refs.h"

#define TREE_BLOCK_INFO_LEN 18u /* a key and a level */
#define OWNER_REF_KEY 172u	/* simple quotas; not in older headers */

int extent_head_parse(const struct key *key, struct span item, struct extent_head *ret,
		      struct cursor *ret_inline)
{
	struct cursor c = cursor_of(item);
	struct extent_head head;

	head.refs = cursor_le64(&c);
	head.generation = cursor_le64(&c);
	head.flags = cursor_le64(&c);
	if (key->type == BTRFS_EXTENT_ITEM_KEY && (head.flags & BTRFS_EXTENT_FLAG_TREE_BLOCK))
		cursor_skip(&c, TREE_BLOCK_INFO_LEN);
	if (c.error)
		return c.error;
	*ret = head;
	*ret_inline = c;
	return 0;
}

static struct extent_ref data_ref(struct cursor *c)
{
	struct extent_ref ref = { .kind = EXTENT_REF_KEYED_DATA };

	ref.root = cursor_le64(c);
	ref.ino = cursor_le64(c);
	ref.offset = cursor_le64(c);
	ref.count = cursor_le32(c);
	return ref;
}

int extent_inline_ref_next(struct cursor *inline_refs, struct extent_ref *ret)
{
	const uint8_t type = cursor_u8(inline_refs);
	struct extent_ref ref = { .count = 1 };

	switch (type) {
	case BTRFS_EXTENT_DATA_REF_KEY:
		ref = data_ref(inline_refs);
		break;
	case BTRFS_SHARED_DATA_REF_KEY:
		ref.kind = EXTENT_REF_SHARED_DATA;
		ref.parent = cursor_le64(inline_refs);
		ref.count = cursor_le32(inline_refs);
		break;
	case BTRFS_TREE_BLOCK_REF_KEY:
		ref.kind = EXTENT_REF_KEYED_BLOCK;
		ref.root = cursor_le64(inline_refs);
		break;
	case BTRFS_SHARED_BLOCK_REF_KEY:
		ref.kind = EXTENT_REF_SHARED_BLOCK;
		ref.parent = cursor_le64(inline_refs);
		break;
	case OWNER_REF_KEY:
		ref.kind = EXTENT_REF_OTHER;
		cursor_skip(inline_refs, 8);
		break;
	default:
		return -EUCLEAN;
	}
	if (inline_refs->error)
		return inline_refs->error;
	*ret = ref;
	return 0;
}

int extent_keyed_ref_parse(const struct key *key, struct span item, struct extent_ref *ret)
{
	struct cursor c = cursor_of(item);
	struct extent_ref ref = { .count = 1 };

	switch (key->type) {
	case BTRFS_EXTENT_DATA_REF_KEY:
		ref = data_ref(&c);
		break;
	case BTRFS_SHARED_DATA_REF_KEY:
		ref.kind = EXTENT_REF_SHARED_DATA;
		ref.parent = key->offset;
		ref.count = cursor_le32(&c);
		break;
	case BTRFS_TREE_BLOCK_REF_KEY:
		ref.kind = EXTENT_REF_KEYED_BLOCK;
		ref.root = key->offset;
		break;
	case BTRFS_SHARED_BLOCK_REF_KEY:
		ref.kind = EXTENT_REF_SHARED_BLOCK;
		ref.parent = key->offset;
		break;
	default:
		return -ENOENT;
	}
	if (c.error)
		return c.error;
	*ret = ref;
	return 0;
}
