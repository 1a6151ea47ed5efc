#include "send/wire/decode.h"

struct stream_reader stream_reader_of(struct span stream)
{
	return (struct stream_reader){ .cursor = cursor_of(stream) };
}

static int header_read(struct stream_reader *reader)
{
	struct span header = cursor_bytes(&reader->cursor, STREAM_HEADER_LEN);
	uint8_t expected[STREAM_HEADER_LEN];
	uint32_t version;

	if (reader->cursor.error)
		return -EUCLEAN;
	version = load_le32(header.data + STREAM_HEADER_LEN - 4);
	stream_header_encode(STREAM_PROTOCOL_1, expected);
	if (memcmp(header.data, expected, STREAM_HEADER_LEN - 4) != 0 || version == 0)
		return -EUCLEAN;
	if (version > STREAM_PROTOCOL_2)
		return -EOPNOTSUPP;
	reader->protocol = (enum stream_protocol)version;
	reader->offset += STREAM_HEADER_LEN;
	return 0;
}

static bool checksum_good(struct span command)
{
	static const uint8_t zeros[4];
	uint32_t crc = stream_crc(0, command.data, 6);

	crc = stream_crc(crc, zeros, sizeof(zeros));
	crc = stream_crc(crc, command.data + COMMAND_HEADER_LEN,
			 command.len - COMMAND_HEADER_LEN);
	return crc == load_le32(command.data + 6);
}

int stream_next(struct stream_reader *reader, struct stream_command *ret)
{
	struct cursor *c = &reader->cursor;
	const uint8_t *at;
	size_t len;

	if (c->left == 0 && !c->error && reader->offset > 0)
		return 0;
	if (reader->protocol == 0) {
		int r = header_read(reader);

		if (r < 0)
			return r;
	}
	at = c->at;
	len = COMMAND_HEADER_LEN + (size_t)cursor_le32(c);
	cursor_skip(c, COMMAND_HEADER_LEN - 4);
	cursor_skip(c, len - COMMAND_HEADER_LEN);
	if (c->error)
		return c->error;
	if (!checksum_good(span_of(at, len)))
		return -EBADMSG;
	*ret = (struct stream_command){
		.offset = reader->offset,
		.type = load_le16(at + 4),
		.bytes = span_of(at, len),
		.attributes = span_of(at + COMMAND_HEADER_LEN, len - COMMAND_HEADER_LEN),
	};
	reader->offset += len;
	if (ret->type == CMD_END)
		reader->protocol = 0;
	return 1;
}

int stream_attribute_next(enum stream_protocol protocol, struct cursor *attributes,
			  struct stream_attribute *ret)
{
	struct stream_attribute attribute;
	size_t len;

	if (attributes->left == 0)
		return attributes->error;
	attribute.type = cursor_le16(attributes);
	if (attribute.type == ATTR_DATA && protocol != STREAM_PROTOCOL_1)
		len = attributes->left;
	else
		len = cursor_le16(attributes);
	attribute.value = cursor_bytes(attributes, len);
	if (attributes->error)
		return attributes->error;
	*ret = attribute;
	return 1;
}

static const char *const command_names[] = {
	[CMD_SUBVOL] = "subvol",
	[CMD_SNAPSHOT] = "snapshot",
	[CMD_MKFILE] = "mkfile",
	[CMD_MKDIR] = "mkdir",
	[CMD_MKNOD] = "mknod",
	[CMD_MKFIFO] = "mkfifo",
	[CMD_MKSOCK] = "mksock",
	[CMD_SYMLINK] = "symlink",
	[CMD_RENAME] = "rename",
	[CMD_LINK] = "link",
	[CMD_UNLINK] = "unlink",
	[CMD_RMDIR] = "rmdir",
	[CMD_SET_XATTR] = "set_xattr",
	[CMD_REMOVE_XATTR] = "remove_xattr",
	[CMD_WRITE] = "write",
	[CMD_CLONE] = "clone",
	[CMD_TRUNCATE] = "truncate",
	[CMD_CHMOD] = "chmod",
	[CMD_CHOWN] = "chown",
	[CMD_UTIMES] = "utimes",
	[CMD_END] = "end",
	[CMD_UPDATE_EXTENT] = "update_extent",
	[CMD_FALLOCATE] = "fallocate",
	[CMD_FILEATTR] = "fileattr",
	[CMD_ENCODED_WRITE] = "encoded_write",
};

static const char *const attribute_names[] = {
	[ATTR_UUID] = "uuid",
	[ATTR_CTRANSID] = "ctransid",
	[ATTR_INO] = "ino",
	[ATTR_SIZE] = "size",
	[ATTR_MODE] = "mode",
	[ATTR_UID] = "uid",
	[ATTR_GID] = "gid",
	[ATTR_RDEV] = "rdev",
	[ATTR_CTIME] = "ctime",
	[ATTR_MTIME] = "mtime",
	[ATTR_ATIME] = "atime",
	[ATTR_OTIME] = "otime",
	[ATTR_XATTR_NAME] = "xattr_name",
	[ATTR_XATTR_DATA] = "xattr_data",
	[ATTR_PATH] = "path",
	[ATTR_PATH_TO] = "path_to",
	[ATTR_PATH_LINK] = "path_link",
	[ATTR_FILE_OFFSET] = "offset",
	[ATTR_DATA] = "data",
	[ATTR_CLONE_UUID] = "clone_uuid",
	[ATTR_CLONE_CTRANSID] = "clone_ctransid",
	[ATTR_CLONE_PATH] = "clone_path",
	[ATTR_CLONE_OFFSET] = "clone_offset",
	[ATTR_CLONE_LEN] = "clone_len",
	[ATTR_FALLOCATE_MODE] = "fallocate_mode",
	[ATTR_FILEATTR] = "fileattr",
	[ATTR_UNENCODED_FILE_LEN] = "unencoded_file_len",
	[ATTR_UNENCODED_LEN] = "unencoded_len",
	[ATTR_UNENCODED_OFFSET] = "unencoded_offset",
	[ATTR_COMPRESSION] = "compression",
	[ATTR_ENCRYPTION] = "encryption",
};

const char *command_name(uint16_t type)
{
	return type < G_N_ELEMENTS(command_names) ? command_names[type] : NULL;
}

const char *attribute_name(uint16_t type)
{
	return type < G_N_ELEMENTS(attribute_names) ? attribute_names[type] : NULL;
}
