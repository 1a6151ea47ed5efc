#include "base/cause.h"
#include "btrfs/tree/tree_warm.h"
#include "send/stream/internal.h"
#include "send/wire/translate.h"
#include <errno.h>

#define MOVE_TRIES 4u
#define INLINE_AT_A_TIME 128u

/* A chunk in the making. */
struct render {
	Stream *stream;
	enum stream_variant variant;
	const struct plan_chunk *chunk;
	uint8_t *begin, *at, *end; /* READ_ALIGN more bytes follow the end */
	struct tree tree;	   /* where the data is read from */
	TreeCursor *cursor;	   /* in it */
	bool moved;		   /* it is not where the plan saw it: look places up */
};

static int set_tree(struct render *render, const struct tree *tree)
{
	cursor_pool_give(render->stream->cursors, render->cursor);
	render->tree = *tree;
	render->moved = !tree_equal(tree, &render->stream->planned_tree);
	render->cursor = cursor_pool_take(render->stream->cursors, tree);
	return render->cursor ? 0 : -ENOMEM;
}

static struct tree last_tree(Stream *stream)
{
	LOCK_SCOPE(&stream->lock);
	return stream->tree;
}

static void note_tree(Stream *stream, const struct tree *tree)
{
	LOCK_SCOPE(&stream->lock);
	stream->tree = *tree;
}

static void note_stale(Stream *stream)
{
	LOCK_SCOPE(&stream->lock);
	stream->stale = true;
}

/* 1: the snapshot's tree has moved, and the render with it.  0: it has not. */
static int follow_move(struct render *render)
{
	Fs *fs = render->stream->registry->fs;
	struct send_root root;
	int r = fs_refresh(fs);

	if (r == 0)
		r = stream_root(fs, render->stream->snapshot, render->stream->ctransid, &root);
	if (r || tree_equal(&root.tree, &render->tree))
		return r;
	note_tree(render->stream, &root.tree);
	r = set_tree(render, &root.tree);
	return r ? r : 1;
}

/* Where the item that @run is of lies now.  Only addresses may differ. */
static int find_place(struct render *render, const struct plan_run *run, struct data_place *ret)
{
	const struct key key = KEY(run->ino, BTRFS_EXTENT_DATA_KEY, run->place.item_offset);
	struct file_extent extent;
	struct data_place place, expected = run->place;
	int r = tree_cursor_find(render->cursor, &key);

	if (r == 0)
		r = file_extent_parse(tree_cursor_item(render->cursor), &extent);
	if (r)
		return r;
	place = data_place_of(key.offset, &extent);
	expected.disk_bytenr = place.disk_bytenr;
	if (!data_place_equal(&place, &expected))
		return -ESTALE;
	*ret = place;
	return 0;
}

/* What is read of a run: a part of its range, or (range.len 0) the bytes of its
 * extent as they are stored. */
struct wanted {
	const struct plan_run *run;
	struct file_range range;
};

static int read_once(struct render *render, const struct wanted *wanted, uint8_t *buffer)
{
	FileData *data = render->stream->registry->data;
	struct data_place place = wanted->run->place;
	int r = 0;

	cause_clear();
	if (render->moved && place.kind == DATA_EXTENT)
		r = find_place(render, wanted->run, &place);
	if (r)
		return r;
	if (wanted->range.len == 0)
		return file_data_read_stored(data, render->cursor, &place, wanted->range.ino,
					     buffer);
	return file_data_read(data, render->cursor, &place, &wanted->range, buffer);
}

static int read_wanted(struct render *render, const struct wanted *wanted, uint8_t *buffer)
{
	int r = -EIO;

	for (unsigned tries = 0; tries < MOVE_TRIES; tries++) {
		int moved;

		r = read_once(render, wanted, buffer);
		if (!stream_may_have_moved(r))
			return r;
		moved = follow_move(render);
		if (moved <= 0)
			return moved == -ESTALE || moved == -ENOMEM ? moved : r;
	}
	return r;
}

static int read_data(struct render *render, const struct plan_run *run, uint64_t offset, size_t len,
		     uint8_t *buffer)
{
	const struct wanted wanted = {
		.run = run,
		.range = { .ino = run->ino, .offset = offset, .len = len },
	};

	return read_wanted(render, &wanted, buffer);
}

/* A reader that meets damage asks again and again: one line does. */
static void log_failed(const struct render *render, const struct plan_run *run, uint64_t offset,
		       int error)
{
	Stream *stream = render->stream;
	const uint64_t at = render->chunk->offset + (uint64_t)(render->at - render->begin);
	const bool is_news = atomic_exchange(&stream->failed_at, at + 1) != at + 1;
	g_autofree char *why = cause_explain(error);

	log_line(stream->registry->log, is_news ? LOG_LEVEL_ERROR : LOG_LEVEL_DEBUG,
		 "%s/%s: at %" G_GUINT64_FORMAT ": data of \"%.*s\" (inode %" G_GUINT64_FORMAT
		 ") at %" G_GUINT64_FORMAT ": %s",
		 stream->name, variant_name(render->variant), at, (int)run->path.len,
		 (const char *)run->path.data, run->ino, offset, why);
}

/* How a run is cut into WRITE commands. */
struct cut {
	enum stream_protocol protocol;
	size_t head;  /* bytes of a command before its data */
	size_t most;  /* data bytes in one */
	size_t len;   /* of all data */
	size_t n;     /* commands */
};

static bool cut_run(const struct render *render, const struct plan_run *run, struct cut *ret)
{
	const size_t room = (size_t)(render->end - render->at);
	struct cut cut = { .protocol = variant_protocol(render->variant) };

	if (run->len > room)
		return false;
	cut.len = (size_t)run->len;
	cut.most = write_data_max(cut.protocol);
	cut.n = (cut.len + cut.most - 1) / cut.most;
	cut.head = write_encoded_len(cut.protocol, run->path.len, 1) - 1;
	*ret = cut;
	return cut.head < room && cut.n * cut.head + cut.len <= room;
}

/*
 * All data of the run is read at once, behind where its last command's head
 * will be:
 *
 *	at           | n heads' room | data ............ |
 *	             | head data | head data | head data |
 *
 * and each piece then moves down to its place, the first one first: what is
 * written never reaches what has not been moved yet.
 */
static int render_at_once(struct render *render, const struct plan_run *run, const struct cut *cut)
{
	const uintptr_t after_heads = (uintptr_t)render->at + cut->n * cut->head;
	const size_t skew = (size_t)(-after_heads & (READ_ALIGN - 1));
	const uint8_t *from = render->at + cut->n * cut->head + skew;
	uint64_t offset = run->offset;
	size_t left = cut->len;
	int r = read_data(render, run, run->offset, cut->len,
			  render->at + cut->n * cut->head + skew);

	while (r == 0 && left > 0) {
		const size_t len = MIN(left, cut->most);
		uint8_t *data =
			write_begin(cut->protocol, render->at, run->path, offset, len);

		memmove(data, from, len);
		command_finish(render->at);
		render->at = data + len;
		from += len;
		offset += len;
		left -= len;
	}
	return r;
}

/* Command by command: the one whose data cannot be had is found. */
static int render_piecewise(struct render *render, const struct plan_run *run,
			    const struct cut *cut)
{
	uint64_t offset = run->offset;
	size_t left = cut->len;

	while (left > 0) {
		const size_t len = MIN(left, cut->most);
		uint8_t *data =
			write_begin(cut->protocol, render->at, run->path, offset, len);
		const int r = read_data(render, run, offset, len, data);

		if (r) {
			log_failed(render, run, offset, r);
			return r;
		}
		command_finish(render->at);
		render->at = data + len;
		offset += len;
		left -= len;
	}
	return 0;
}

/* The extent's own bytes, whatever part of them the run is of. */
static int render_encoded(struct render *render, const struct plan_run *run)
{
	const struct wanted wanted = { .run = run, .range = { .ino = run->ino } };
	const struct encoded_write write = {
		.path = run->path,
		.offset = run->offset,
		.len = run->len,
		.place = &run->place,
		.sector_size = fs_super(render->stream->registry->fs).sector_size,
	};
	uint8_t *data, *from;
	size_t len;
	int r = encoded_write_len(run->path.len, &run->place, &len);

	if (r || len > (size_t)(render->end - render->at))
		return -EUCLEAN;
	data = encoded_write_begin(render->at, &write);
	from = data + (-(uintptr_t)data & (READ_ALIGN - 1));
	r = read_wanted(render, &wanted, from);
	if (r) {
		log_failed(render, run, run->offset, r);
		return r;
	}
	memmove(data, from, (size_t)run->place.stored_len);
	command_finish(render->at);
	render->at += len;
	return 0;
}

static int render_update(struct render *render, const struct plan_run *run)
{
	const struct command command = {
		.type = CMD_UPDATE_EXTENT,
		.path = run->path,
		.write = { .offset = run->offset, .len = run->len },
	};
	size_t len = update_extent_len(run->path.len);

	if (len > (size_t)(render->end - render->at) ||
	    command_encode_at(variant_protocol(render->variant), &command, render->at, &len))
		return -EUCLEAN;
	render->at += len;
	return 0;
}

static int render_writes(struct render *render, const struct plan_run *run)
{
	struct cut cut;

	if (!cut_run(render, run, &cut))
		return -EUCLEAN;
	if (run->place.kind == DATA_EXTENT && !run->place.compression &&
	    render_at_once(render, run, &cut) == 0)
		return 0;
	return render_piecewise(render, run, &cut);
}

static int render_data(struct render *render, const struct plan_run *run)
{
	switch (data_form(render->variant, run->len, &run->place)) {
	case DATA_WRITES:
		return render_writes(render, run);
	case DATA_ENCODED:
		return render_encoded(render, run);
	case DATA_NAMED:
		return render_update(render, run);
	}
	return -EUCLEAN;
}

/* The visitor has held the length of each run against that of the chunk. */
static int render_run(void *user, const struct plan_run *run)
{
	struct render *render = user;
	const enum stream_protocol protocol = variant_protocol(render->variant);

	switch (run->kind) {
	case RUN_HEADER:
		stream_header_encode(protocol, render->at);
		render->at += STREAM_HEADER_LEN;
		return 0;
	case RUN_LITERAL:
		if (protocol == STREAM_PROTOCOL_1) {
			render->at = commands_put_in_protocol_1(run->literal, render->at);
			return 0;
		}
		memcpy(render->at, run->literal.data, run->literal.len);
		render->at += run->literal.len;
		return 0;
	case RUN_DATA:
		return render_data(render, run);
	}
	return -EUCLEAN;
}

static int visit_chunk(struct render *render)
{
	int r = plan_chunk_visit(render->stream->plan, render->variant, render->chunk, render_run,
				 render);

	if (r == 0 && render->at != render->end)
		return -EUCLEAN;
	return r;
}

/* The extent items of a chunk that hold its data themselves. */
struct inline_items {
	size_t n;
	struct key keys[INLINE_AT_A_TIME];
	const struct tree *tree;
};

static int gather_inline(void *user, const struct plan_run *run)
{
	struct inline_items *items = user;

	if (run->kind != RUN_DATA || run->place.kind != DATA_INLINE)
		return 0;
	if (items->n == INLINE_AT_A_TIME) {
		tree_warm(items->tree, items->keys, items->n);
		items->n = 0;
	}
	items->keys[items->n++] = KEY(run->ino, BTRFS_EXTENT_DATA_KEY, run->place.item_offset);
	return 0;
}

/* Their leaves are read together, neighbours in one request. */
static void warm_inline(const struct render *render)
{
	struct inline_items items = { .tree = &render->tree };

	if (render->variant != STREAM_NODATA &&
	    plan_chunk_visit(render->stream->plan, render->variant, render->chunk, gather_inline,
			     &items) == 0 &&
	    items.n > 1)
		tree_warm(items.tree, items.keys, items.n);
}

struct chunk_load {
	Stream *stream;
	enum stream_variant variant;
	const struct plan_chunk *chunk;
};

static int load_chunk(void *user, Blob **ret)
{
	const struct chunk_load *load = user;
	const struct tree tree = last_tree(load->stream);
	Blob *blob = blob_new_in(load->stream->registry->buffers, load->chunk->len + READ_ALIGN);
	struct render render = {
		.stream = load->stream, .variant = load->variant, .chunk = load->chunk
	};
	int r;

	if (!blob)
		return -ENOMEM;
	render.begin = render.at = blob->bytes;
	render.end = blob->bytes + load->chunk->len;
	r = set_tree(&render, &tree);
	if (r == 0) {
		warm_inline(&render);
		r = visit_chunk(&render);
	}
	cursor_pool_give(load->stream->cursors, render.cursor);
	fs_tell_bad_copies(load->stream->registry->fs);
	if (r == -ESTALE)
		note_stale(load->stream);
	blob->error = r;
	blob->len = (size_t)(render.at - render.begin);
	*ret = blob;
	return 0;
}

int stream_chunk(Stream *stream, enum stream_variant variant, const struct plan_chunk *chunk,
		 Blob **ret)
{
	struct chunk_load load = { .stream = stream, .variant = variant, .chunk = chunk };

	return load_cache_get(stream->registry->chunks, chunk->offset, stream->serial + variant,
			      load_chunk, &load, ret);
}
