#pragma once
#include "base/span.h"
#include "btrfs/ondisk/data_place.h"
#include "btrfs/ondisk/items.h"

/*
 * The commands of a send stream as values, independent of the protocol.
 * Source of numbers and layouts: linux/btrfs send protocol (btrfs-progs
 * common/send-stream, kernel fs/btrfs/send.h); see docs/stream.md.
 *
 * Spans belong to the caller and need to live only during the call that the
 * command is given to.
 */
enum command_type {
	CMD_SUBVOL = 1,
	CMD_SNAPSHOT = 2,
	CMD_MKFILE = 3,
	CMD_MKDIR = 4,
	CMD_MKNOD = 5,
	CMD_MKFIFO = 6,
	CMD_MKSOCK = 7,
	CMD_SYMLINK = 8,
	CMD_RENAME = 9,
	CMD_LINK = 10,
	CMD_UNLINK = 11,
	CMD_RMDIR = 12,
	CMD_SET_XATTR = 13,
	CMD_REMOVE_XATTR = 14,
	CMD_WRITE = 15, /* a range of data; becomes as many WRITE commands as needed */
	CMD_CLONE = 16,
	CMD_TRUNCATE = 17,
	CMD_CHMOD = 18,
	CMD_CHOWN = 19,
	CMD_UTIMES = 20,
	CMD_END = 21,
	CMD_UPDATE_EXTENT = 22,
	CMD_FALLOCATE = 23, /* here: a hole that must be punched, see below */
	CMD_FILEATTR = 24,  /* left out of protocol 1 */
	CMD_ENCODED_WRITE = 25,
};

struct command {
	enum command_type type;
	/* The streams that go without it, a bit for each: see variant.h. */
	unsigned not_in;
	struct span path;
	union {
		struct {
			const uint8_t *uuid; /* 16 bytes */
			uint64_t ctransid;
			const uint8_t *parent_uuid; /* SNAPSHOT */
			uint64_t parent_ctransid;
		} subvol; /* SUBVOL, SNAPSHOT */
		struct {
			uint64_t ino;
			uint64_t rdev;	    /* MKNOD, MKFIFO, MKSOCK: as in the inode item */
			uint32_t mode;	    /* the same: with type bits */
			struct span target; /* SYMLINK */
		} make; /* MK*, SYMLINK */
		struct {
			struct span other; /* RENAME: new path.  LINK: existing path */
		} name;
		struct {
			struct span name, value;
		} xattr;
		struct {
			uint64_t ino;
			uint64_t offset, len;	 /* of the file, bytes, within one extent item */
			struct data_place place;
		} write;
		struct {
			/* A hole in the new snapshot that the receiver does not have:
			 * protocol 1 zero WRITEs (@end cut at @file_size),
			 * protocol 2 one FALLOCATE, mode 3. */
			uint64_t ino;
			uint64_t offset, end, file_size;
		} hole; /* FALLOCATE */
		struct {
			uint64_t offset, len;
			const uint8_t *uuid; /* of the subvolume cloned from */
			uint64_t ctransid;
			struct span path;
			uint64_t from;
		} clone;
		uint64_t size;	   /* TRUNCATE */
		uint32_t mode;	   /* CHMOD: masked to 07777 by the encoder */
		uint64_t attr;	   /* FILEATTR */
		struct {
			uint32_t uid, gid;
		} owner; /* CHOWN */
		struct {
			struct disk_time atime, mtime, ctime, otime;
		} times; /* UTIMES */
	};
};

/* Takes commands one after the other.  0, or a negative errno that ends the
 * sender. */
struct command_sink {
	int (*put)(void *user, const struct command *command);
	void *user;
};

static inline int command_put(const struct command_sink *sink, const struct command *command)
{
	return sink->put(sink->user, command);
}
