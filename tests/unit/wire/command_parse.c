#include "command_parse.h"

struct values {
	struct span of[ATTR_MAX + 1];
};

static bool values_gather(enum stream_protocol protocol, struct span attributes,
			  struct values *ret)
{
	struct cursor cursor = cursor_of(attributes);
	struct stream_attribute attribute;
	int r;

	*ret = (struct values){ 0 };
	while ((r = stream_attribute_next(protocol, &cursor, &attribute)) > 0) {
		if (attribute.type > ATTR_MAX || ret->of[attribute.type].data)
			return false;
		ret->of[attribute.type] = attribute.value;
	}
	return r == 0;
}

static uint64_t number(const struct values *v, enum attribute_type type)
{
	return v->of[type].len == 8 ? load_le64(v->of[type].data) : 0;
}

static struct disk_time point(const struct values *v, enum attribute_type type)
{
	struct cursor c = cursor_of(v->of[type]);
	struct disk_time time;

	time.seconds = cursor_le64(&c);
	time.nanoseconds = cursor_le32(&c);
	return time;
}

static void parse_make(const struct values *v, struct command *c)
{
	const uint64_t rdev = number(v, ATTR_RDEV);

	c->make.ino = number(v, ATTR_INO);
	c->make.mode = (uint32_t)number(v, ATTR_MODE);
	c->make.target = v->of[ATTR_PATH_LINK];
	c->make.rdev = (rdev >> 8 & 0xfff) << 20 | (rdev >> 12 & 0xfff00) | (rdev & 0xff);
}

static void parse_clone(const struct values *v, struct command *c)
{
	c->clone.offset = number(v, ATTR_FILE_OFFSET);
	c->clone.len = number(v, ATTR_CLONE_LEN);
	c->clone.uuid = v->of[ATTR_CLONE_UUID].data;
	c->clone.ctransid = number(v, ATTR_CLONE_CTRANSID);
	c->clone.path = v->of[ATTR_CLONE_PATH];
	c->clone.from = number(v, ATTR_CLONE_OFFSET);
}

static void parse_subvol(const struct values *v, struct command *c)
{
	c->subvol.uuid = v->of[ATTR_UUID].data;
	c->subvol.ctransid = number(v, ATTR_CTRANSID);
	c->subvol.parent_uuid = v->of[ATTR_CLONE_UUID].data;
	c->subvol.parent_ctransid = number(v, ATTR_CLONE_CTRANSID);
}

static void parse_times(const struct values *v, struct command *c)
{
	c->times.atime = point(v, ATTR_ATIME);
	c->times.mtime = point(v, ATTR_MTIME);
	c->times.ctime = point(v, ATTR_CTIME);
	c->times.otime = point(v, ATTR_OTIME);
}

static bool values_parse(const struct values *v, struct command *c)
{
	switch (c->type) {
	case CMD_SUBVOL:
	case CMD_SNAPSHOT:
		return parse_subvol(v, c), true;
	case CMD_MKFILE:
	case CMD_MKDIR:
	case CMD_MKNOD:
	case CMD_MKFIFO:
	case CMD_MKSOCK:
	case CMD_SYMLINK:
		return parse_make(v, c), true;
	case CMD_RENAME:
		return c->name.other = v->of[ATTR_PATH_TO], true;
	case CMD_LINK:
		return c->name.other = v->of[ATTR_PATH_LINK], true;
	case CMD_UNLINK:
	case CMD_RMDIR:
	case CMD_END:
		return true;
	case CMD_SET_XATTR:
	case CMD_REMOVE_XATTR:
		c->xattr.name = v->of[ATTR_XATTR_NAME];
		c->xattr.value = v->of[ATTR_XATTR_DATA];
		return true;
	case CMD_WRITE:
		c->write.offset = number(v, ATTR_FILE_OFFSET);
		c->write.len = v->of[ATTR_DATA].len;
		return true;
	case CMD_CLONE:
		return parse_clone(v, c), true;
	case CMD_TRUNCATE:
		return c->size = number(v, ATTR_SIZE), true;
	case CMD_CHMOD:
		return c->mode = (uint32_t)number(v, ATTR_MODE), true;
	case CMD_CHOWN:
		c->owner.uid = (uint32_t)number(v, ATTR_UID);
		c->owner.gid = (uint32_t)number(v, ATTR_GID);
		return true;
	case CMD_UTIMES:
		return parse_times(v, c), true;
	case CMD_UPDATE_EXTENT:
		c->write.offset = number(v, ATTR_FILE_OFFSET);
		c->write.len = number(v, ATTR_SIZE);
		return true;
	case CMD_FALLOCATE:
		c->hole.offset = number(v, ATTR_FILE_OFFSET);
		c->hole.end = c->hole.offset + number(v, ATTR_SIZE);
		return true;
	case CMD_FILEATTR:
		return c->attr = number(v, ATTR_FILEATTR), true;
	case CMD_ENCODED_WRITE:
		return false;
	}
	return false;
}

bool command_parse(enum stream_protocol protocol, const struct stream_command *from,
		   struct command *ret, struct span *ret_data)
{
	struct values values;

	if (!values_gather(protocol, from->attributes, &values))
		return false;
	*ret = (struct command){
		.type = (enum command_type)from->type,
		.path = values.of[ATTR_PATH],
	};
	*ret_data = values.of[ATTR_DATA];
	return values_parse(&values, ret);
}
