#include "send/order/finish.h"
#include "send/order/contents.h"
#include "send/order/delay.h"
#include "send/order/emit.h"
#include <sys/stat.h>

/* What finishing has to compare. */
struct ending {
	struct inode_item old, new;
	bool as_new;
};

static int look_up(struct sender *sender, struct ending *ret)
{
	const uint64_t ino = sender->standing.current.ino;
	const struct inode_item *item;
	int r;

	ret->as_new = !sender->standing.old || sender->current.is_new;
	r = inode_reader_item(sender->standing.new, ino, &item);
	if (r)
		return r;
	ret->new = *item;
	if (ret->as_new)
		return 0;
	r = inode_reader_item(sender->standing.old, ino, &item);
	if (r == 0)
		ret->old = *item;
	return r;
}

static bool needs_truncate(const struct sender *sender, const struct ending *ending,
			   enum hole_way way)
{
	const struct current_inode *current = &sender->current;
	const bool written_to_end = current->next_write_offset[way] == current->size;

	if (ending->as_new)
		return !written_to_end;
	if (ending->old.size == current->size)
		return false;
	return !(current->size > ending->old.size && written_to_end);
}

static int finish_contents(struct sender *sender, const struct ending *ending)
{
	struct command command = { .type = CMD_TRUNCATE, .size = sender->current.size };
	int r;

	if (!S_ISREG(sender->current.mode))
		return 0;
	/* Decided before holes are sent. */
	for (unsigned way = 0; way < HOLE_WAYS; way++)
		if (!needs_truncate(sender, ending, way))
			command.not_in |= hole_way_variants(way);
	r = send_hole_at_end(sender);
	return r ? r : emit_for_current(sender, &command);
}

static int finish_attributes(struct sender *sender, const struct ending *ending)
{
	const struct inode_item *old = &ending->old, *new = &ending->new;
	const bool is_link = S_ISLNK(sender->current.mode);
	struct command command = { 0 };
	int r = 0;

	if (ending->as_new || old->uid != new->uid || old->gid != new->gid) {
		command.type = CMD_CHOWN;
		command.owner.uid = new->uid;
		command.owner.gid = new->gid;
		r = emit_for_current(sender, &command);
	}
	if (r == 0 && !is_link && (ending->as_new || old->mode != new->mode)) {
		command = (struct command){ .type = CMD_CHMOD, .mode = new->mode };
		r = emit_for_current(sender, &command);
	}
	if (r == 0 && !is_link && !ending->as_new && old->flags != new->flags)
		r = emit_for_current(sender, &(struct command){
						     .type = CMD_FILEATTR,
						     .not_in = VARIANTS_PROTOCOL_1,
						     .attr = new->flags,
					     });
	return r ? r : send_capability(sender);
}

/* 9.1 step 7 */
static int finish_moves_and_times(struct sender *sender)
{
	const struct inode_id current = sender->standing.current;
	int r;

	if (moves_waiting(sender->moves, current.ino))
		return 0;
	r = make_delayed_moves(sender);
	if (r)
		return r;
	sender->standing.frontier = current.ino + 1;
	if (!S_ISDIR(sender->current.mode) || sender->current.size == 0)
		return emit_utimes(sender, current);
	dir_times_enter(sender->times, current);
	return 0;
}

int finish_inode(struct sender *sender)
{
	struct ending ending = { 0 };
	int r = look_up(sender, &ending);

	if (r == 0)
		r = finish_contents(sender, &ending);
	if (r == 0)
		r = finish_attributes(sender, &ending);
	return r ? r : finish_moves_and_times(sender);
}

int trim_dir_times(struct sender *sender)
{
	struct inode_id dir;
	int r = 0;

	while (r == 0 && dir_times_trim(sender->times, &dir))
		r = emit_utimes(sender, dir);
	return r;
}

int flush_dir_times(struct sender *sender)
{
	g_autoptr(GArray) dirs = dir_times_take_all(sender->times);
	int r = 0;

	for (guint i = 0; r == 0 && i < dirs->len; i++)
		r = emit_utimes(sender, g_array_index(dirs, struct inode_id, i));
	return r;
}
