#include "send/order/clone_range.h"
#include "send/order/emit.h"

#define SECTOR_SIZE 4096u
#define PAGE_SIZE 4096u
/* The kernel's step for the end of a source file; part of the format. */
#define END_STEP 65536u

static bool is_aligned(uint64_t value, uint64_t step)
{
	return (value & (step - 1)) == 0;
}

/* What is left to send, and where in the source and in the extent it begins. */
struct cloning {
	struct sender *sender;
	const struct range *range; /* of the destination */
	const struct clone_root *from;
	uint64_t ino;	       /* of the source */
	uint64_t source_size;
	uint64_t to, left;     /* in the destination */
	uint64_t source;       /* in the source */
	uint64_t extent_offset;
};

static int write_piece(struct sender *sender, const struct range *range, uint64_t offset,
		       uint64_t len)
{
	struct command command = {
		.type = CMD_WRITE,
		.not_in = range->not_in,
		.write = {
			.ino = sender->standing.current.ino,
			.offset = offset,
			.len = len,
			.place = data_place_of(range->item->offset, &range->item->extent),
		},
	};

	return emit_for_current(sender, &command);
}

/* The path of an inode in a snapshot that is not being changed. */
static int path_in(InodeReader *reader, uint64_t ino, struct path *ret)
{
	g_autoptr(GArray) names = g_array_new(FALSE, FALSE, sizeof(struct name));
	int r = 0;

	while (ino != BTRFS_FIRST_FREE_OBJECTID) {
		struct reference first;

		if (names->len > PATH_MOST / 2)
			return -ENAMETOOLONG;
		r = inode_reader_first_ref(reader, ino, &first);
		if (r)
			return r;
		g_array_append_val(names, first.name);
		ino = first.dir;
	}
	ret->len = 0;
	for (guint i = names->len; r == 0 && i-- > 0;)
		r = path_append(ret, name_span(&g_array_index(names, struct name, i)));
	return r;
}

static int source_path(const struct cloning *c, struct path *ret)
{
	struct inode_id id = { .ino = c->ino };
	int r;

	if (!c->from->is_own)
		return path_in(c->from->reader, c->ino, ret);
	r = inode_reader_generation(c->from->reader, c->ino, &id.gen);
	return r ? r : paths_current(c->sender->paths, id, ret);
}

static int emit_clone(const struct cloning *c, uint64_t to, uint64_t from, uint64_t len)
{
	struct command command = {
		.type = CMD_CLONE,
		.not_in = c->range->not_in,
		.clone = {
			.offset = to,
			.len = len,
			.uuid = announced_uuid(&c->from->root->item),
			.ctransid = c->from->root->item.ctransid,
			.from = from,
		},
	};
	struct path own, other;
	int r = current_path(c->sender, &own);

	if (r == 0)
		r = source_path(c, &other);
	if (r)
		return r;
	command.path = path_span(&own);
	command.clone.path = path_span(&other);
	return command_put(c->sender->sink, &command);
}

static void advance(struct cloning *c, uint64_t len)
{
	c->left -= len;
	c->to += len;
	c->source += len;
	c->extent_offset += len;
}

/* Step 7: a last block that is not a whole one cannot be cloned into the middle
 * of a file. */
static int clone_piece(const struct cloning *c, uint64_t len)
{
	const uint64_t end = c->source + len;
	const uint64_t whole = len & ~(uint64_t)(END_STEP - 1);
	int r = 0;

	if (end != c->source_size || is_aligned(end, END_STEP) ||
	    c->to + len >= c->sender->current.size)
		return emit_clone(c, c->to, c->source, len);
	if (whole > 0)
		r = emit_clone(c, c->to, c->source, whole);
	/* Also where nothing is left: without data it is told all the same. */
	return r ? r : write_piece(c->sender, c->range, c->to + whole, len - whole);
}

static uint64_t covered(const struct extent_item *item)
{
	if (item->extent.type != BTRFS_FILE_EXTENT_INLINE)
		return item->extent.num_bytes;
	return (item->extent.ram_bytes + PAGE_SIZE - 1) & ~(uint64_t)(PAGE_SIZE - 1);
}

/* One extent item of the source (steps 1 to 12): 1 leaves the walk. */
static int clone_item(struct cloning *c, const struct extent_item *at)
{
	const bool same_extent = at->extent.type != BTRFS_FILE_EXTENT_INLINE &&
				 at->extent.disk_bytenr == c->range->item->extent.disk_bytenr;
	uint64_t len = covered(at), extent_offset = at->extent.offset;
	bool crosses_end = false;
	int r = 0;

	if (at->offset + len <= c->source)
		return 0;
	if (at->offset > c->source) {
		const uint64_t gap = MIN(at->offset - c->source, c->left);

		r = write_piece(c->sender, c->range, c->to, gap);
		if (r)
			return r;
		advance(c, gap);
		if (c->left == 0)
			return 1;
	}
	if (at->offset >= c->source + c->left || at->offset >= c->source_size)
		return 1;
	if (at->offset + len > c->source_size) {
		len = c->source_size - at->offset;
		crosses_end = true;
	}
	if (same_extent) {
		c->source = at->offset;
		if (extent_offset < c->extent_offset && extent_offset + len > c->extent_offset) {
			const uint64_t skip = c->extent_offset - extent_offset;

			len -= skip;
			extent_offset += skip;
			c->source += skip;
		}
	}
	len = MIN(len, c->left);
	if (same_extent && extent_offset == c->extent_offset)
		r = clone_piece(c, len);
	else if (crosses_end && len < c->left)
		return 1;
	else
		r = write_piece(c->sender, c->range, c->to, len);
	if (r)
		return r;
	advance(c, len);
	/* What the receiver does not have yet cannot be cloned from. */
	return c->left == 0 ||
	       (c->from->is_own && c->ino == c->sender->standing.current.ino &&
		c->source >= c->range->next_write_offset);
}

static int clone_range(struct cloning *c)
{
	InodeReader *reader = c->from->reader;
	struct extent_item at;
	int r = inode_reader_extent_before(reader, c->ino, c->source, &at);

	if (r == -ENOENT)
		r = inode_reader_extent_after(reader, c->ino, c->source, &at);
	while (r == 0) {
		const int done = clone_item(c, &at);

		if (done < 0)
			return done;
		r = done ? -ENOENT : inode_reader_extent_next(reader, c->ino, &at);
	}
	if (r != -ENOENT)
		return r;
	return c->left ? write_piece(c->sender, c->range, c->to, c->left) : 0;
}

/* Section 11.3: 1 if the range can be cloned, 0 if it must be written. */
static int can_clone(const struct cloning *c)
{
	const uint64_t end = c->to + c->left;
	struct command truncate = {
		.type = CMD_TRUNCATE,
		.not_in = c->range->not_in,
		.size = c->to,
	};
	int r;

	if (is_aligned(end, SECTOR_SIZE))
		return 1;
	if (end != c->sender->current.size || c->source + c->left != c->source_size)
		return 0;
	if (!c->sender->standing.old)
		return 1;
	r = emit_for_current(c->sender, &truncate);
	return r ? r : 1;
}

int send_range(struct sender *sender, const struct range *range,
	       const struct clone_source *source)
{
	struct cloning c = {
		.sender = sender,
		.range = range,
		.to = range->item->offset,
		.left = range->end - range->item->offset,
		.extent_offset = range->item->extent.offset,
	};
	const struct inode_item *inode;
	int r;

	if (!source)
		return write_piece(sender, range, c.to, c.left);
	c.from = source->from;
	c.ino = source->ino;
	c.source = source->offset;
	r = inode_reader_item(c.from->reader, c.ino, &inode);
	if (r)
		return r;
	c.source_size = inode->size;
	r = can_clone(&c);
	if (r < 0)
		return r;
	if (r == 0 || (c.source == 0 && c.left == SECTOR_SIZE))
		return write_piece(sender, range, c.to, c.left);
	return clone_range(&c);
}
