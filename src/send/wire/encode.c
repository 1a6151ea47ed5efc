#include "send/wire/encode.h"
#include "btrfs/codec/checksum.h"
#include "btrfs/codec/decompress.h"
#include "send/wire/attribute.h"

#define ATTR_HEADER_LEN 4u
#define UUID_LEN 16u
#define XATTR_NAME_MAX_LEN 255u
#define PUNCH_HOLE_KEEP_SIZE 3u
#define ROUND_UP_PAGE(len) (((len) + 4095) & ~(size_t)4095)

static const char stream_magic[13] = "btrfs-stream";

void stream_header_encode(enum stream_protocol protocol, uint8_t ret[STREAM_HEADER_LEN])
{
	memcpy(ret, stream_magic, sizeof(stream_magic));
	store_le32(ret + sizeof(stream_magic), (uint32_t)protocol);
}

uint32_t command_len_max(enum stream_protocol protocol)
{
	return protocol == STREAM_PROTOCOL_1 ? 65536 : 147456;
}

uint32_t write_data_max(enum stream_protocol protocol)
{
	return command_len_max(protocol) - 16384;
}

uint32_t stream_crc(uint32_t crc, const void *data, size_t len)
{
	return crc32c_bare(crc, data, len);
}

/* The first error sticks; nothing is written after it. */
struct encoder {
	uint8_t *at, *end;
	int error;
};

static uint8_t *put_room(struct encoder *e, enum attribute_type type, size_t len)
{
	uint8_t *value = e->at + ATTR_HEADER_LEN;

	if (e->error)
		return NULL;
	if (len > UINT16_MAX || (size_t)(e->end - e->at) < ATTR_HEADER_LEN + len) {
		e->error = -EOVERFLOW;
		return NULL;
	}
	store_le16(e->at, (uint16_t)type);
	store_le16(e->at + 2, (uint16_t)len);
	e->at = value + len;
	return value;
}

static void put_u32(struct encoder *e, enum attribute_type type, uint32_t value)
{
	uint8_t *p = put_room(e, type, sizeof(value));

	if (p)
		store_le32(p, value);
}

static void put_u64(struct encoder *e, enum attribute_type type, uint64_t value)
{
	uint8_t *p = put_room(e, type, sizeof(value));

	if (p)
		store_le64(p, value);
}

static void put_time(struct encoder *e, enum attribute_type type, struct disk_time time)
{
	uint8_t *p = put_room(e, type, 12);

	if (!p)
		return;
	store_le64(p, time.seconds);
	store_le32(p + 8, time.nanoseconds);
}

static void put_bytes(struct encoder *e, enum attribute_type type, struct span bytes)
{
	uint8_t *p = put_room(e, type, bytes.len);

	if (p && bytes.len)
		memcpy(p, bytes.data, bytes.len);
}

static void put_uuid(struct encoder *e, enum attribute_type type, const uint8_t *uuid)
{
	put_bytes(e, type, span_of(uuid, UUID_LEN));
}

static void put_name(struct encoder *e, enum attribute_type type, struct span name, size_t most)
{
	if (!e->error && name.len > most)
		e->error = -ENAMETOOLONG;
	put_bytes(e, type, name);
}

static void put_path(struct encoder *e, enum attribute_type type, struct span path)
{
	put_name(e, type, path, COMMAND_PATH_MAX);
}

/* From the form in the inode item to the one of user space. */
static uint32_t rdev_for_stream(uint64_t rdev)
{
	const uint32_t minor = (uint32_t)rdev & 0xfffff;
	const uint32_t major = (uint32_t)rdev >> 20;

	return (minor & 0xff) | (major << 8) | ((minor & ~0xffu) << 12);
}

static void put_subvol(struct encoder *e, const struct command *c)
{
	put_path(e, ATTR_PATH, c->path);
	put_uuid(e, ATTR_UUID, c->subvol.uuid);
	put_u64(e, ATTR_CTRANSID, c->subvol.ctransid);
	if (c->type != CMD_SNAPSHOT)
		return;
	put_uuid(e, ATTR_CLONE_UUID, c->subvol.parent_uuid);
	put_u64(e, ATTR_CLONE_CTRANSID, c->subvol.parent_ctransid);
}

static void put_make(struct encoder *e, const struct command *c)
{
	put_path(e, ATTR_PATH, c->path);
	put_u64(e, ATTR_INO, c->make.ino);
	if (c->type == CMD_SYMLINK)
		put_path(e, ATTR_PATH_LINK, c->make.target);
	if (c->type != CMD_MKNOD && c->type != CMD_MKFIFO && c->type != CMD_MKSOCK)
		return;
	put_u64(e, ATTR_RDEV, rdev_for_stream(c->make.rdev));
	put_u64(e, ATTR_MODE, c->make.mode);
}

static void put_xattr(struct encoder *e, const struct command *c)
{
	put_path(e, ATTR_PATH, c->path);
	put_name(e, ATTR_XATTR_NAME, c->xattr.name, XATTR_NAME_MAX_LEN);
	if (c->type == CMD_SET_XATTR)
		put_bytes(e, ATTR_XATTR_DATA, c->xattr.value);
}

static void put_clone(struct encoder *e, const struct command *c)
{
	put_u64(e, ATTR_FILE_OFFSET, c->clone.offset);
	put_u64(e, ATTR_CLONE_LEN, c->clone.len);
	put_path(e, ATTR_PATH, c->path);
	put_uuid(e, ATTR_CLONE_UUID, c->clone.uuid);
	put_u64(e, ATTR_CLONE_CTRANSID, c->clone.ctransid);
	put_path(e, ATTR_CLONE_PATH, c->clone.path);
	put_u64(e, ATTR_CLONE_OFFSET, c->clone.from);
}

static void put_times(struct encoder *e, enum stream_protocol protocol, const struct command *c)
{
	put_path(e, ATTR_PATH, c->path);
	put_time(e, ATTR_ATIME, c->times.atime);
	put_time(e, ATTR_MTIME, c->times.mtime);
	put_time(e, ATTR_CTIME, c->times.ctime);
	if (protocol != STREAM_PROTOCOL_1)
		put_time(e, ATTR_OTIME, c->times.otime);
}

static void put_fallocate(struct encoder *e, const struct command *c)
{
	put_path(e, ATTR_PATH, c->path);
	put_u32(e, ATTR_FALLOCATE_MODE, PUNCH_HOLE_KEEP_SIZE);
	put_u64(e, ATTR_FILE_OFFSET, c->hole.offset);
	put_u64(e, ATTR_SIZE, c->hole.end - c->hole.offset);
}

static void put_update_extent(struct encoder *e, const struct command *c)
{
	put_path(e, ATTR_PATH, c->path);
	put_u64(e, ATTR_FILE_OFFSET, c->write.offset);
	/* The kernel passes the length through 32 bits (docs/stream.md, 9). */
	put_u64(e, ATTR_SIZE, (uint32_t)c->write.len);
}

static void put_path_and_u64(struct encoder *e, const struct command *c, enum attribute_type type,
			     uint64_t value)
{
	put_path(e, ATTR_PATH, c->path);
	put_u64(e, type, value);
}

static void put_paths(struct encoder *e, const struct command *c, enum attribute_type other)
{
	put_path(e, ATTR_PATH, c->path);
	put_path(e, other, c->name.other);
}

static void put_owner(struct encoder *e, const struct command *c)
{
	put_path(e, ATTR_PATH, c->path);
	put_u64(e, ATTR_UID, c->owner.uid);
	put_u64(e, ATTR_GID, c->owner.gid);
}

static void put_attributes(struct encoder *e, enum stream_protocol protocol,
			   const struct command *c)
{
	switch (c->type) {
	case CMD_SUBVOL:
	case CMD_SNAPSHOT:
		return put_subvol(e, c);
	case CMD_MKFILE:
	case CMD_MKDIR:
	case CMD_MKNOD:
	case CMD_MKFIFO:
	case CMD_MKSOCK:
	case CMD_SYMLINK:
		return put_make(e, c);
	case CMD_RENAME:
		return put_paths(e, c, ATTR_PATH_TO);
	case CMD_LINK:
		return put_paths(e, c, ATTR_PATH_LINK);
	case CMD_UNLINK:
	case CMD_RMDIR:
		return put_path(e, ATTR_PATH, c->path);
	case CMD_SET_XATTR:
	case CMD_REMOVE_XATTR:
		return put_xattr(e, c);
	case CMD_CLONE:
		return put_clone(e, c);
	case CMD_TRUNCATE:
		return put_path_and_u64(e, c, ATTR_SIZE, c->size);
	case CMD_CHMOD:
		return put_path_and_u64(e, c, ATTR_MODE, c->mode & 07777);
	case CMD_CHOWN:
		return put_owner(e, c);
	case CMD_UTIMES:
		return put_times(e, protocol, c);
	case CMD_END:
		return;
	case CMD_UPDATE_EXTENT:
		return put_update_extent(e, c);
	case CMD_FALLOCATE:
		if (protocol == STREAM_PROTOCOL_1)
			break;
		return put_fallocate(e, c);
	case CMD_FILEATTR:
		return put_path_and_u64(e, c, ATTR_FILEATTR, c->attr);
	case CMD_WRITE:
	case CMD_ENCODED_WRITE:
		break;
	}
	e->error = -EINVAL;
}

static void header_put(uint8_t *at, enum command_type type, size_t len)
{
	store_le32(at, (uint32_t)(len - COMMAND_HEADER_LEN));
	store_le16(at + 4, (uint16_t)type);
	store_le32(at + 6, 0);
}

static void checksum_put(uint8_t *at, size_t len)
{
	store_le32(at + 6, stream_crc(0, at, len));
}

int command_encode_at(enum stream_protocol protocol, const struct command *command, uint8_t *at,
		      size_t *ret_len)
{
	struct encoder e = {
		.at = at + COMMAND_HEADER_LEN,
		.end = at + command_len_max(protocol),
	};
	size_t len;

	if (protocol == STREAM_PROTOCOL_1 && command->type == CMD_FILEATTR) {
		*ret_len = 0;
		return 0;
	}
	put_attributes(&e, protocol, command);
	if (e.error)
		return e.error;
	len = (size_t)(e.at - at);
	header_put(at, command->type, len);
	checksum_put(at, len);
	*ret_len = len;
	return 0;
}

int command_encode(enum stream_protocol protocol, const struct command *command, GByteArray *out)
{
	const guint before = out->len;
	size_t len = 0;
	int r;

	g_byte_array_set_size(out, before + command_len_max(protocol));
	r = command_encode_at(protocol, command, out->data + before, &len);
	g_byte_array_set_size(out, before + (r == 0 ? (guint)len : 0));
	return r;
}

/* Of all but the data.  Protocol 2 writes no length behind DATA's type. */
static size_t write_overhead(enum stream_protocol protocol, size_t path_len)
{
	const size_t data_header = protocol == STREAM_PROTOCOL_1 ? 4 : 2;

	return COMMAND_HEADER_LEN + ATTR_HEADER_LEN + path_len + ATTR_HEADER_LEN + 8 + data_header;
}

size_t write_encoded_len(enum stream_protocol protocol, size_t path_len, size_t len)
{
	return write_overhead(protocol, path_len) + len;
}

uint8_t *write_begin(enum stream_protocol protocol, uint8_t *at, struct span path, uint64_t offset,
		     size_t len)
{
	const size_t overhead = write_overhead(protocol, path.len);
	struct encoder e = { .at = at + COMMAND_HEADER_LEN, .end = at + overhead };

	header_put(at, CMD_WRITE, overhead + len);
	put_path(&e, ATTR_PATH, path);
	put_u64(&e, ATTR_FILE_OFFSET, offset);
	store_le16(e.at, ATTR_DATA);
	if (protocol == STREAM_PROTOCOL_1)
		store_le16(e.at + 2, (uint16_t)len);
	return at + overhead;
}

void command_finish(uint8_t *at)
{
	store_le32(at + 6, 0);
	checksum_put(at, COMMAND_HEADER_LEN + load_le32(at));
}

size_t update_extent_len(size_t path_len)
{
	return COMMAND_HEADER_LEN + ATTR_HEADER_LEN + path_len + 2 * (ATTR_HEADER_LEN + 8);
}

/* Only regular extents say that they are not encrypted. */
static size_t encoded_overhead(size_t path_len, const struct data_place *place)
{
	const size_t n_u32 = place->kind == DATA_INLINE ? 1 : 2;

	return COMMAND_HEADER_LEN + ATTR_HEADER_LEN + path_len + 4 * (ATTR_HEADER_LEN + 8) +
	       n_u32 * (ATTR_HEADER_LEN + 4) + 2;
}

int encoded_write_len(size_t path_len, const struct data_place *place, size_t *ret)
{
	const uint32_t most = command_len_max(STREAM_PROTOCOL_2);
	const size_t head = encoded_overhead(path_len, place);
	/* The kernel reads an extent to whole pages of its buffer. */
	const size_t data_at = place->kind == DATA_INLINE ? head : ROUND_UP_PAGE(head);

	if (data_at > most || place->stored_len > most - data_at)
		return -EOVERFLOW;
	*ret = head + (size_t)place->stored_len;
	return 0;
}

/* docs/stream.md, section 10: not the numbers that are on disk. */
static uint32_t compression_for_stream(uint8_t compression, uint32_t sector_size)
{
	uint32_t lzo = 3; /* with sectors of 4 KiB; of 8 KiB, 4; and so on */

	switch (compression) {
	case BTRFS_COMPRESS_ZLIB:
		return 1;
	case BTRFS_COMPRESS_ZSTD:
		return 2;
	default:
		for (; sector_size > 4096; sector_size /= 2)
			lzo++;
		return lzo;
	}
}

uint8_t *encoded_write_begin(uint8_t *at, const struct encoded_write *write)
{
	const struct data_place *place = write->place;
	const size_t overhead = encoded_overhead(write->path.len, place);
	const bool is_inline = place->kind == DATA_INLINE;
	const uint64_t in_item = write->offset - place->item_offset;
	const uint64_t item_len = is_inline ? place->ram_bytes : place->num_bytes;
	struct encoder e = { .at = at + COMMAND_HEADER_LEN, .end = at + overhead };

	header_put(at, CMD_ENCODED_WRITE, overhead + (size_t)place->stored_len);
	put_path(&e, ATTR_PATH, write->path);
	put_u64(&e, ATTR_FILE_OFFSET, write->offset);
	put_u64(&e, ATTR_UNENCODED_FILE_LEN, MIN(item_len - in_item, write->len));
	put_u64(&e, ATTR_UNENCODED_LEN, place->ram_bytes);
	put_u64(&e, ATTR_UNENCODED_OFFSET, is_inline ? in_item : in_item + place->offset);
	put_u32(&e, ATTR_COMPRESSION,
		compression_for_stream(place->compression, write->sector_size));
	if (!is_inline)
		put_u32(&e, ATTR_ENCRYPTION, 0);
	store_le16(at + overhead - 2, ATTR_DATA);
	return at + overhead;
}
