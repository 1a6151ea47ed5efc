#include "sending.h"
#include "support/extent_tree.h"
#include "support/subvolume.h"
#include <inttypes.h>

struct recorder {
	GString *text;
	bool with_attributes;
	enum stream_variant variant;
};

static const char *text_of(struct span span, char *buffer, size_t room)
{
	g_assert_cmpuint(span.len, <, room);
	if (span.len)
		memcpy(buffer, span.data, span.len);
	buffer[span.len] = '\0';
	return span.len ? buffer : "''";
}

#define TEXT(span) text_of(span, (char[4100]){ 0 }, 4100)

static const char *name_of(enum command_type type)
{
	static const char *const names[] = {
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
		[CMD_SET_XATTR] = "set",
		[CMD_REMOVE_XATTR] = "remove",
		[CMD_WRITE] = "write",
		[CMD_CLONE] = "clone",
		[CMD_TRUNCATE] = "truncate",
		[CMD_CHMOD] = "chmod",
		[CMD_CHOWN] = "chown",
		[CMD_UTIMES] = "utimes",
		[CMD_END] = "end",
		[CMD_UPDATE_EXTENT] = "update",
		[CMD_FALLOCATE] = "hole",
		[CMD_FILEATTR] = "attr",
		[CMD_ENCODED_WRITE] = "encoded",
	};

	return names[type];
}

static void put_operands(const struct recorder *to, const struct command *c)
{
	switch (c->type) {
	case CMD_SYMLINK:
		g_string_append_printf(to->text, " to %s", TEXT(c->make.target));
		return;
	case CMD_MKNOD:
		g_string_append_printf(to->text, " %o %" G_GINT64_MODIFIER "x", c->make.mode,
				       c->make.rdev);
		return;
	case CMD_RENAME:
	case CMD_LINK:
		g_string_append_printf(to->text, " %s %s", c->type == CMD_LINK ? "to" : "->",
				       TEXT(c->name.other));
		return;
	case CMD_SET_XATTR:
		g_string_append_printf(to->text, " %s=%s", TEXT(c->xattr.name),
				       TEXT(c->xattr.value));
		return;
	case CMD_REMOVE_XATTR:
		g_string_append_printf(to->text, " %s", TEXT(c->xattr.name));
		return;
	case CMD_WRITE:
		g_string_append_printf(to->text, " %" PRIu64 "+%" PRIu64, c->write.offset,
				       c->write.len);
		return;
	case CMD_FALLOCATE:
		g_string_append_printf(to->text, " %" PRIu64 "-%" PRIu64 " size %" PRIu64,
				       c->hole.offset, c->hole.end, c->hole.file_size);
		return;
	case CMD_CLONE:
		/* The first byte of a root's UUID here is its number. */
		g_string_append_printf(to->text, " %" PRIu64 "+%" PRIu64 " from %u:%s %" PRIu64,
				       c->clone.offset, c->clone.len,
				       PARENT_ID + c->clone.uuid[0], TEXT(c->clone.path),
				       c->clone.from);
		return;
	case CMD_TRUNCATE:
		g_string_append_printf(to->text, " %" PRIu64, c->size);
		return;
	case CMD_FILEATTR:
		g_string_append_printf(to->text, " %" G_GINT64_MODIFIER "x", c->attr);
		return;
	case CMD_CHOWN:
		if (to->with_attributes)
			g_string_append_printf(to->text, " %u:%u", c->owner.uid, c->owner.gid);
		return;
	case CMD_CHMOD:
		if (to->with_attributes)
			g_string_append_printf(to->text, " %o", c->mode & 07777);
		return;
	default:
		return;
	}
}

static int record(void *user, const struct command *command)
{
	const struct recorder *to = user;

	if (command->not_in & VARIANT_BIT(to->variant))
		return 0;
	g_string_append(to->text, name_of(command->type));
	if (command->type != CMD_SUBVOL && command->type != CMD_SNAPSHOT &&
	    command->type != CMD_END) {
		g_string_append_printf(to->text, " %s", TEXT(command->path));
		put_operands(to, command);
	}
	g_string_append_c(to->text, '\n');
	return 0;
}

static void make(struct opened *opened, uint64_t id, const char *text)
{
	g_autoptr(ItemSet) items = subvolume_items(text);
	struct root_item root = fs_image_write_tree(opened->image, id, items);

	memset(root.uuid, 0, sizeof(root.uuid));
	root.uuid[0] = (uint8_t)(id - PARENT_ID);
	root.uuid[1] = 1; /* never all zeros */
	fs_image_put_root(opened->image, id, &root);
}

static struct send_root find(const struct opened *opened, uint64_t id)
{
	struct send_root root;

	g_assert_cmpint(fs_subvolume(opened->fs, id, &root.item, &root.tree), ==, 0);
	return root;
}

static void make_all(struct opened *opened, const struct sending *sending)
{
	g_autoptr(ItemSet) extents = NULL;

	opened_begin(opened);
	if (sending->parent)
		make(opened, PARENT_ID, sending->parent);
	make(opened, SNAPSHOT_ID, sending->snapshot);
	for (unsigned i = 0; sending->sources[i]; i++)
		make(opened, SOURCE_ID + i, sending->sources[i]);
	extents = extent_items_of(opened->image);
	fs_image_put_extent_tree(opened->image, extents);
	opened_open(opened);
}

int sending_run(const struct sending *sending, char **ret)
{
	struct recorder recorder = { g_string_new(NULL), sending->with_attributes,
				     sending->variant };
	const struct command_sink sink = { .put = record, .user = &recorder };
	struct send_root parent, sources[33];
	struct send_request request = {
		.clone_sources = sources,
		.name = span_str("snapshot"),
	};
	struct opened opened;
	int r;

	make_all(&opened, sending);
	request.fs = opened.fs;
	request.snapshot = find(&opened, SNAPSHOT_ID);
	if (sending->parent) {
		parent = find(&opened, PARENT_ID);
		request.parent = &parent;
		if (!sending->parent_is_no_source)
			sources[request.n_clone_sources++] = parent;
	}
	for (unsigned i = 0; sending->sources[i]; i++)
		sources[request.n_clone_sources++] = find(&opened, SOURCE_ID + i);
	r = sender_run(&request, &sink);
	opened_end(&opened);
	*ret = g_string_free(recorder.text, FALSE);
	return r;
}

char *sending_commands(const struct sending *sending)
{
	const char *first = sending->parent ? "snapshot\n" : "subvol\n";
	g_autofree char *text = NULL;
	const int r = sending_run(sending, &text);

	if (r)
		g_test_message("ended with %d after:\n%s", r, text);
	g_assert_cmpint(r, ==, 0);
	g_assert_true(g_str_has_prefix(text, first));
	g_assert_true(g_str_has_suffix(text, "\nend\n"));
	return g_strndup(text + strlen(first), strlen(text) - strlen(first) - strlen("end\n"));
}

void assert_commands(const struct sending *sending, const char *expected)
{
	g_autofree char *commands = sending_commands(sending);

	if (strcmp(commands, expected) != 0)
		g_test_message("expected:\n%ssent:\n%s", expected, commands);
	g_assert_cmpstr(commands, ==, expected);
}
