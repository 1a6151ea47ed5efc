#include "send/order/emit.h"
#include <sys/stat.h>

int emit_path(struct sender *sender, enum command_type type, struct span path)
{
	return command_put(sender->sink, &(struct command){ .type = type, .path = path });
}

int emit_two_paths(struct sender *sender, enum command_type type, struct span path,
		   struct span other)
{
	return command_put(sender->sink, &(struct command){
						 .type = type,
						 .path = path,
						 .name = { .other = other },
					 });
}

/* Puts @command with the current path of @id, which variants may remember
 * differently. */
static int emit_with_path(struct sender *sender, struct inode_id id, struct command *command)
{
	unsigned left = VARIANTS_ALL & ~command->not_in;
	struct path path;

	while (left) {
		unsigned these;
		int r = paths_current_in(sender->paths, left, id, &path, &these);

		if (r)
			return r;
		command->path = path_span(&path);
		command->not_in = ~these;
		r = command_put(sender->sink, command);
		if (r)
			return r;
		left &= ~these;
	}
	return 0;
}

int emit_for_current(struct sender *sender, struct command *command)
{
	return emit_with_path(sender, sender->standing.current, command);
}

static int symlink_target(InodeReader *side, uint64_t ino, struct span *ret)
{
	struct extent_item item;
	int r = inode_reader_extent_before(side, ino, 0, &item);

	if (r)
		return r == -ENOENT ? -EIO : r;
	if (item.extent.type != BTRFS_FILE_EXTENT_INLINE || item.extent.compression != 0)
		return -EUCLEAN;
	*ret = item.extent.inline_data;
	return 0;
}

static int create_type(uint32_t mode, enum command_type *ret)
{
	switch (mode & S_IFMT) {
	case S_IFREG:
		*ret = CMD_MKFILE;
		return 0;
	case S_IFDIR:
		*ret = CMD_MKDIR;
		return 0;
	case S_IFLNK:
		*ret = CMD_SYMLINK;
		return 0;
	case S_IFCHR:
	case S_IFBLK:
		*ret = CMD_MKNOD;
		return 0;
	case S_IFIFO:
		*ret = CMD_MKFIFO;
		return 0;
	case S_IFSOCK:
		*ret = CMD_MKSOCK;
		return 0;
	default:
		return -EUCLEAN;
	}
}

int emit_create(struct sender *sender, uint64_t ino)
{
	struct command command = { .make = { .ino = ino } };
	const struct inode_item *item;
	struct inode_id id = { .ino = ino };
	struct name name;
	int r;

	r = inode_reader_item(sender->standing.new, ino, &item);
	if (r)
		return r;
	id.gen = item->generation;
	command.make.mode = item->mode;
	command.make.rdev = item->rdev;
	r = create_type(item->mode, &command.type);
	if (r == 0)
		r = paths_orphan_name(sender->paths, id, &name);
	if (r == 0 && command.type == CMD_SYMLINK)
		r = symlink_target(sender->standing.new, ino, &command.make.target);
	if (r)
		return r;
	command.path = name_span(&name);
	return command_put(sender->sink, &command);
}

int emit_utimes(struct sender *sender, struct inode_id id)
{
	struct command command = { .type = CMD_UTIMES };
	const struct inode_item *item;
	int r = inode_reader_item(sender->standing.new, id.ino, &item);

	if (r)
		return r;
	command.times.atime = item->atime;
	command.times.mtime = item->mtime;
	command.times.ctime = item->ctime;
	command.times.otime = item->otime;
	return emit_with_path(sender, id, &command);
}
