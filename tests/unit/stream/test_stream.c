#include "base/autofd.h"
#include "btrfs/codec/decompress.h"
#include "send/order/sender.h"
#include "send/stream/stream.h"
#include "send/wire/decode.h"
#include "support/bytes.h"
#include "support/compress.h"
#include "unit/extent/fake_fs.h"
#include <errno.h>
#include <fcntl.h>

/*
 * Real plans, chunks and file data; the sender, the catalog and the opening
 * of a file system are made up here.
 */
#define N_FILES 40u
#define FIRST_INO 257u

/* What every file holds, and what the fake sender does. */
static uint8_t *contents[N_FILES];
static size_t sizes[N_FILES];
static atomic_uint n_runs, n_cancelled;
static atomic_size_t n_sources_seen; /* by the last sender_run() */
static int run_result;	    /* of the next sender_run() alone */
static bool run_until_cancelled;
static atomic_int last_pin;
static int pin_result;

Snapshot *snapshot_ref(const Snapshot *snapshot)
{
	return g_memdup2(snapshot, sizeof(*snapshot));
}

void snapshot_unref(Snapshot *snapshot)
{
	g_free(snapshot);
}

int catalog_pin(Catalog *catalog, const Snapshot *snapshot, int *ret_fd)
{
	(void)catalog;
	(void)snapshot;
	if (pin_result)
		return pin_result;
	*ret_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	atomic_store(&last_pin, *ret_fd);
	return 0;
}

int catalog_settle(Catalog *catalog, const Snapshot *snapshot, int pin_fd)
{
	(void)catalog;
	(void)snapshot;
	g_assert_cmpint(fcntl(pin_fd, F_GETFD), !=, -1);
	return 0;
}

static void path_of(unsigned file, char ret[16])
{
	g_snprintf(ret, 16, "dir/file%u", file);
}

static struct command simple(enum command_type type, const char *path)
{
	return (struct command){ .type = type, .path = span_str(path) };
}

static struct command begin_command(struct span name)
{
	static const uint8_t uuid[16] = { 7 };
	struct command command = { .type = CMD_SUBVOL, .path = name };

	command.subvol.uuid = uuid;
	command.subvol.ctransid = 10;
	return command;
}

static int send_extents(TreeCursor *cursor, unsigned file, const char *path,
			const struct command_sink *sink)
{
	const struct key key = KEY(FIRST_INO + file, BTRFS_EXTENT_DATA_KEY, 0);
	int r = tree_cursor_seek(cursor, &key);

	for (; r == 0; r = tree_cursor_next(cursor)) {
		const struct key at = tree_cursor_key(cursor);
		struct command command = simple(CMD_WRITE, path);
		struct file_extent extent;

		if (at.objectid != key.objectid)
			return 0;
		r = file_extent_parse(tree_cursor_item(cursor), &extent);
		if (r)
			return r;
		command.write.ino = at.objectid;
		command.write.offset = at.offset;
		command.write.place = data_place_of(at.offset, &extent);
		command.write.len = MIN(sizes[file] - at.offset,
					command.write.place.kind == DATA_INLINE ?
						extent.ram_bytes : extent.num_bytes);
		r = command_put(sink, &command);
		if (r)
			return r;
	}
	return r == -ENOENT ? 0 : r;
}

int sender_run(const struct send_request *request, const struct command_sink *sink)
{
	g_autoptr(TreeCursor) cursor =
		tree_cursor_new(&request->snapshot.tree, TREE_READAHEAD_NONE);
	struct command command = begin_command(request->name);
	int r = run_result;

	atomic_fetch_add(&n_runs, 1);
	atomic_store(&n_sources_seen, request->n_clone_sources);
	while (run_until_cancelled && !atomic_load(request->cancelled))
		g_usleep(1000);
	if (run_until_cancelled) {
		atomic_fetch_add(&n_cancelled, 1);
		return -ECANCELED;
	}
	run_result = 0;
	if (r == 0)
		r = command_put(sink, &command);
	for (unsigned file = 0; r == 0 && file < N_FILES; file++) {
		char path[16];

		path_of(file, path);
		command = simple(CMD_TRUNCATE, path);
		command.size = sizes[file];
		r = send_extents(cursor, file, path, sink);
		if (r == 0)
			r = command_put(sink, &command);
	}
	command = simple(CMD_END, "");
	return r ? r : command_put(sink, &command);
}

/* The same, from what is known and in the plainest way. */
static void expect_data(GByteArray *whole, unsigned file, const char *path, size_t from, size_t len)
{
	while (len > 0) {
		const size_t part = MIN(len, write_data_max(STREAM_PROTOCOL_1));
		const guint at = whole->len;
		uint8_t *data;

		g_byte_array_set_size(whole, at + (guint)write_encoded_len(STREAM_PROTOCOL_1,
									   strlen(path), part));
		data = write_begin(STREAM_PROTOCOL_1, whole->data + at, span_str(path), from, part);
		memcpy(data, contents[file] + from, part);
		command_finish(whole->data + at);
		from += part;
		len -= part;
	}
}

struct world {
	Fs *fs;
	FileData *data;
	StreamRegistry *registry;
	GByteArray *whole;
	Snapshot snapshot;
	size_t damaged_at; /* of the WRITE that begins file 3's second part */
	uint64_t file3;	   /* where its data lies */
};

/* File 3 has 300 KiB in one extent, 7 a hole in front, the others vary. */
static void make_file(struct world *world, unsigned file)
{
	Fs *fs = world->fs;
	const uint64_t ino = FIRST_INO + file;
	const size_t size = sizes[file];
	const struct span bytes = span_of(contents[file], size);
	g_autoptr(GByteArray) stored = NULL;
	struct file_extent extent;

	if (file % 4 == 0) {
		extent = example_inline(bytes);
	} else if (file % 4 == 1) {
		stored = compress_extent(BTRFS_COMPRESS_ZSTD, bytes);
		extent = example_extent(fake_put_data(fs, span_of_bytes(stored), true), size);
		extent.ram_bytes = extent.num_bytes = (size + 4095) / 4096 * 4096;
		extent.disk_num_bytes = (stored->len + 4095) / 4096 * 4096;
		extent.compression = BTRFS_COMPRESS_ZSTD;
	} else {
		const uint64_t at = fake_put_data(fs, bytes, file != 6);

		extent = example_extent(at, (size + 4095) / 4096 * 4096);
		if (file == 3)
			world->file3 = at;
	}
	fake_put_extent(fs, ino, 0, &extent);
}

static void expect_file(struct world *world, unsigned file)
{
	struct command command;
	char path[16];

	path_of(file, path);
	command = simple(CMD_TRUNCATE, path);
	command.size = sizes[file];
	if (file == 3)
		world->damaged_at = world->whole->len +
				    write_encoded_len(STREAM_PROTOCOL_1, strlen(path), 49152);
	expect_data(world->whole, file, path, 0, sizes[file]);
	command_encode(STREAM_PROTOCOL_1, &command, world->whole);
}

static void make_files(struct world *world)
{
	for (unsigned file = 0; file < N_FILES; file++) {
		sizes[file] = file == 3 ? 300 * 1024 : file % 4 == 0 ? 100 + file
							: 1000 + (size_t)file * 2500;
		contents[file] = g_malloc(sizes[file]);
		if (file % 4 == 1)
			fill_text(contents[file], sizes[file], file);
		else
			fill_noise(contents[file], sizes[file], file);
		make_file(world, file);
	}
}

static void expect_whole(struct world *world)
{
	const struct command begin = begin_command(span_str("snap")), end = simple(CMD_END, "");

	world->whole = g_byte_array_new();
	g_byte_array_set_size(world->whole, STREAM_HEADER_LEN);
	stream_header_encode(STREAM_PROTOCOL_1, world->whole->data);
	command_encode(STREAM_PROTOCOL_1, &begin, world->whole);
	for (unsigned file = 0; file < N_FILES; file++)
		expect_file(world, file);
	command_encode(STREAM_PROTOCOL_1, &end, world->whole);
}

static char snapshot_text[] = "snap";

static void world_begin(struct world *world, size_t cache_bytes, unsigned n_workers)
{
	const struct stream_options options = { .cache_bytes = cache_bytes,
						.plan_memory_bytes = 1 << 20,
						.spill_dir = g_get_tmp_dir() };

	*world = (struct world){ .fs = fake_fs_new() };
	make_files(world);
	expect_whole(world);
	fake_fs_open(world->fs, n_workers);
	world->data = file_data_new(world->fs, cache_bytes);
	world->registry = stream_registry_new(world->fs, NULL, world->data, &options);
	world->snapshot = (Snapshot){ .name = snapshot_text, .path = snapshot_text,
				      .leaf_name = snapshot_text, .id = FAKE_SUBVOLUME,
				      .generation = 10, .ctransid = 10, .read_only = true };
	memset(world->snapshot.uuid, 7, 16);
	atomic_store(&n_runs, 0);
}

static void world_end(struct world *world)
{
	stream_registry_free(world->registry);
	file_data_free(world->data);
	fs_free(world->fs);
	g_byte_array_unref(world->whole);
	for (unsigned file = 0; file < N_FILES; file++)
		g_free(contents[file]);
}

static int open_stream(struct world *world, Stream **ret)
{
	const struct stream_key key = { .snapshot = &world->snapshot };

	return stream_open(world->registry, &key, ret);
}

static Stream *opened(struct world *world)
{
	Stream *stream = NULL;

	g_assert_cmpint(open_stream(world, &stream), ==, 0);
	return stream;
}

static Stream *planned(struct world *world)
{
	Stream *stream = opened(world);

	g_assert_cmpint(stream_wait(stream, STREAM_V1, NULL, NULL), ==, 0);
	g_assert_cmpuint(stream_size(stream, STREAM_V1), ==, world->whole->len);
	return stream;
}

static void check_slice(struct world *world, Stream *stream, size_t from, size_t len)
{
	const size_t expected = MIN(len, world->whole->len - from);
	g_autofree uint8_t *buffer = g_malloc(len + 1);
	size_t got = 0;

	g_assert_cmpint(stream_read(stream, STREAM_V1, from, buffer, len, &got), ==, 0);
	g_assert_cmpuint(got, ==, expected);
	g_assert_true(memcmp(buffer, world->whole->data + from, expected) == 0);
}

static void check_forward(struct world *world, Stream *stream, size_t step)
{
	for (size_t at = 0; at < world->whole->len; at += step)
		check_slice(world, stream, at, step);
}

static void check_random(struct world *world, Stream *stream, guint32 seed, unsigned n)
{
	g_autoptr(GRand) rand = g_rand_new_with_seed(seed);

	for (unsigned i = 0; i < n; i++) {
		const size_t from = g_rand_int(rand) % (world->whole->len + 1);

		check_slice(world, stream, from, g_rand_int(rand) % (i % 8 ? 5000 : 1 << 20));
	}
}

static void test_slices(void)
{
	const size_t caches[] = { 0, 100000, 16 << 20 };

	for (size_t i = 0; i < G_N_ELEMENTS(caches); i++) {
		g_autoptr(Stream) stream = NULL;
		struct world world;
		uint8_t byte;
		size_t got = 1;

		world_begin(&world, caches[i], i % 2 ? 2 : 0);
		stream = planned(&world);
		check_random(&world, stream, 1, 30);
		check_forward(&world, stream, 131072);
		check_random(&world, stream, 2, 200);
		g_assert_cmpint(stream_read(stream, STREAM_V1, world.whole->len, &byte, 1, &got), ==, 0);
		g_assert_cmpuint(got, ==, 0);
		g_assert_cmpint(stream_read(stream, STREAM_V1, UINT64_MAX, &byte, 1, &got), ==, 0);
		g_assert_cmpuint(got, ==, 0);
		g_assert_cmpuint(stream_totals(stream, STREAM_V1).commands[CMD_TRUNCATE], ==, N_FILES);
		g_clear_pointer(&stream, stream_unref);
		world_end(&world);
	}
}

/* All of one variant, read in pieces. */
static GByteArray *read_variant(Stream *stream, enum stream_variant variant)
{
	const uint64_t size = stream_size(stream, variant);
	GByteArray *whole = g_byte_array_new();
	uint64_t at = 0;
	size_t got;

	g_byte_array_set_size(whole, (guint)size);
	for (; at < size; at += got) {
		g_assert_cmpint(stream_read(stream, variant, at, whole->data + at, 70001, &got), ==,
				0);
		g_assert_cmpuint(got, >, 0);
	}
	return whole;
}

static struct span attribute_of(enum stream_protocol protocol, const struct stream_command *command,
				enum attribute_type type)
{
	struct cursor attributes = cursor_of(command->attributes);
	struct stream_attribute attribute;

	while (stream_attribute_next(protocol, &attributes, &attribute) > 0)
		if (attribute.type == type)
			return attribute.value;
	g_assert_not_reached();
}

/* Holds the data of one command against what the file holds; returns how much
 * of the file it is. */
static size_t check_data(enum stream_protocol protocol, const struct stream_command *command,
			 unsigned file)
{
	const struct span data = attribute_of(protocol, command, ATTR_DATA);
	const size_t offset = load_le64(
		attribute_of(protocol, command, ATTR_FILE_OFFSET).data);
	g_autofree uint8_t *plain = NULL;
	size_t len, plain_len;

	if (command->type == CMD_WRITE) {
		g_assert_true(memcmp(data.data, contents[file] + offset, data.len) == 0);
		return data.len;
	}
	len = load_le64(attribute_of(protocol, command, ATTR_UNENCODED_FILE_LEN).data);
	plain_len = load_le64(attribute_of(protocol, command, ATTR_UNENCODED_LEN).data);
	plain = g_malloc(plain_len);
	g_assert_cmpint(decompress(BTRFS_COMPRESS_ZSTD, data, 4096, plain, plain_len), ==, 0);
	g_assert_true(memcmp(plain, contents[file] + offset, len) == 0);
	return len;
}

static void check_variant(Stream *stream, enum stream_variant variant, unsigned n_encoded)
{
	g_autoptr(GByteArray) whole = read_variant(stream, variant);
	struct stream_reader reader = stream_reader_of(span_of_bytes(whole));
	const enum stream_protocol protocol = variant_protocol(variant);
	const struct plan_totals totals = stream_totals(stream, variant);
	struct stream_command command;
	unsigned file = 0;
	size_t done = 0;

	while (stream_next(&reader, &command) > 0) {
		if (command.type == CMD_TRUNCATE) {
			g_assert_cmpuint(done, ==, sizes[file++]);
			done = 0;
		} else if (command.type == CMD_UPDATE_EXTENT) {
			done += load_le64(attribute_of(protocol, &command, ATTR_SIZE).data);
		} else if (command.type == CMD_WRITE || command.type == CMD_ENCODED_WRITE) {
			done += check_data(protocol, &command, file);
		}
	}
	g_assert_cmpuint(reader.offset, ==, whole->len);
	g_assert_cmpuint(file, ==, N_FILES);
	g_assert_cmpuint(totals.commands[CMD_ENCODED_WRITE], ==, n_encoded);
	g_assert_cmpuint(totals.literal_bytes + totals.data_bytes, ==, whole->len);
}

/* One run of the sender for all. */
static void test_variants(void)
{
	g_autoptr(Stream) stream = NULL;
	struct world world;

	world_begin(&world, 1 << 20, 2);
	stream = planned(&world);
	check_variant(stream, STREAM_NODATA, 0);
	/* The smallest of the compressed has more bytes stored than it needs. */
	check_variant(stream, STREAM_V2_COMPRESSED, N_FILES / 4 - 1);
	check_variant(stream, STREAM_V2, 0);
	check_forward(&world, stream, 100000);
	g_assert_cmpuint(atomic_load(&n_runs), ==, 1);
	g_clear_pointer(&stream, stream_unref);
	world_end(&world);
}

struct reader {
	struct world *world;
	guint32 seed;
};

static void *reader_main(void *user)
{
	const struct reader *reader = user;
	g_autoptr(Stream) stream = planned(reader->world);

	if (reader->seed % 2)
		check_forward(reader->world, stream, 65536);
	check_random(reader->world, stream, reader->seed, 60);
	return NULL;
}

static void test_threads(void)
{
	struct reader readers[6];
	pthread_t threads[6];
	struct world world;

	world_begin(&world, 4 << 20, 2);
	for (guint32 i = 0; i < 6; i++) {
		readers[i] = (struct reader){ &world, i };
		pthread_create(&threads[i], NULL, reader_main, &readers[i]);
	}
	for (unsigned i = 0; i < 6; i++)
		pthread_join(threads[i], NULL);
	g_assert_cmpuint(atomic_load(&n_runs), ==, 1);
	world_end(&world);
}

/* The plan stays for the next opener, the pin does not. */
static void test_idle(void)
{
	struct world world;
	Stream *stream;
	int pin;

	world_begin(&world, 1 << 20, 0);
	for (unsigned i = 0; i < 3; i++) {
		stream = planned(&world);
		pin = atomic_load(&last_pin);
		g_assert_cmpint(fcntl(pin, F_GETFD), !=, -1);
		check_slice(&world, stream, 1000, 1000);
		stream_unref(stream);
		g_assert_cmpint(fcntl(pin, F_GETFD), ==, -1);
	}
	g_assert_cmpuint(atomic_load(&n_runs), ==, 1);
	/* Of another state it is another stream, and of another snapshot none. */
	world.snapshot.ctransid = 11;
	stream_unref(planned(&world));
	g_assert_cmpuint(atomic_load(&n_runs), ==, 2);
	world.snapshot.uuid[0]++;
	stream = opened(&world);
	g_assert_cmpint(stream_wait(stream, STREAM_V1, NULL, NULL), ==, -ESTALE);
	stream_unref(stream);
	g_assert_cmpuint(atomic_load(&n_runs), ==, 2);
	world_end(&world);
}

/* Other sources make another stream; their pins last as long as the planning. */
static void test_clone_sources(void)
{
	g_autoptr(GPtrArray) sources =
		g_ptr_array_new_with_free_func((GDestroyNotify)snapshot_unref);
	g_autoptr(Stream) alone = NULL, again = NULL, with_sources = NULL;
	struct world world;
	struct stream_key key;

	world_begin(&world, 1 << 20, 0);
	key = (struct stream_key){ .snapshot = &world.snapshot,
				   .parent = &world.snapshot };
	g_assert_cmpint(stream_open(world.registry, &key, &alone), ==, 0);
	g_assert_cmpint(stream_wait(alone, STREAM_V1, NULL, NULL), ==, 0);
	g_assert_cmpuint(atomic_load(&n_sources_seen), ==, 1);
	for (unsigned i = 0; i < 2; i++)
		g_ptr_array_add(sources, snapshot_ref(&world.snapshot));
	key.clone_sources = sources;
	g_assert_cmpint(stream_open(world.registry, &key, &with_sources), ==, 0);
	g_assert_cmpint(stream_wait(with_sources, STREAM_V1, NULL, NULL), ==, 0);
	g_assert_cmpuint(atomic_load(&n_sources_seen), ==, 3);
	g_assert_true(alone != with_sources);
	g_assert_cmpint(stream_open(world.registry, &key, &again), ==, 0);
	g_assert_true(again == with_sources);
	g_assert_cmpint(fcntl(atomic_load(&last_pin), F_GETFD), ==, -1);
	((Snapshot *)g_ptr_array_index(sources, 1))->read_only = false;
	g_assert_cmpint(stream_open(world.registry, &key, &again), ==, -EPERM);
	g_clear_pointer(&alone, stream_unref);
	g_clear_pointer(&again, stream_unref);
	g_clear_pointer(&with_sources, stream_unref);
	world_end(&world);
}

static bool always(void *user)
{
	(void)user;
	return true;
}

static void test_called_off(void)
{
	struct world world;
	Stream *stream;

	world_begin(&world, 1 << 20, 0);
	run_until_cancelled = true;
	stream = opened(&world);
	g_assert_cmpint(stream_wait(stream, STREAM_V1, always, NULL), ==, -EINTR);
	stream_unref(stream);
	stream_registry_free(world.registry);
	world.registry = NULL;
	g_assert_cmpuint(atomic_load(&n_cancelled) + (atomic_load(&n_runs) == 0), ==, 1);
	run_until_cancelled = false;
	world_end(&world);
}

static void test_refused(void)
{
	struct world world;
	Stream *stream = NULL;

	world_begin(&world, 1 << 20, 0);
	world.snapshot.read_only = false;
	g_assert_cmpint(open_stream(&world, &stream), ==, -EPERM);
	world.snapshot.read_only = true;
	pin_result = -ESTALE;
	g_assert_cmpint(open_stream(&world, &stream), ==, -ENOENT);
	pin_result = 0;
	run_result = -EUCLEAN;
	stream = opened(&world);
	g_assert_cmpint(stream_wait(stream, STREAM_V1, NULL, NULL), ==, -EUCLEAN);
	g_assert_cmpuint(atomic_load(&n_runs), ==, 1);
	/* The failed one is not given to the next opener. */
	stream_unref(planned(&world));
	stream_unref(stream);
	world_end(&world);
}

static struct fake_state after_refresh;

static void come_true(Fs *fs)
{
	if (atomic_load(&fs->n_refreshes) < 2)
		return;
	fake_set_next(fs, &after_refresh);
	fs->on_refresh = NULL;
}

/* Planning meets a block that a commit has overwritten. */
static void test_planned_again(void)
{
	struct world world;

	world_begin(&world, 1 << 20, 0);
	after_refresh = world.fs->now;
	after_refresh.generation = 11;
	world.fs->on_refresh = come_true;
	run_result = -EBADMSG;
	stream_unref(planned(&world));
	g_assert_cmpuint(atomic_load(&n_runs), ==, 2);
	world_end(&world);
}

/* A balance: the files' data goes elsewhere, and noise with checksums of its
 * own comes to lie where it was. */
static void move_files(struct world *world)
{
	const size_t old_end = world->fs->image->used;

	for (unsigned file = 0; file < N_FILES; file++)
		make_file(world, file);
	for (size_t at = 1 << 20; at < old_end; at += FAKE_SECTOR) {
		if (at == world->fs->now.csum_tree.logical)
			break;
		fill_noise(world->fs->image->data + at, FAKE_SECTOR, at);
		fake_put_sums(world->fs, at, FAKE_SECTOR);
	}
	after_refresh = fake_state(world->fs, 11);
	fake_fs_sync(world->fs);
}

static void test_moved(void)
{
	g_autoptr(Stream) stream = NULL;
	struct world world;
	uint8_t byte;
	size_t got;

	world_begin(&world, 0, 0);
	stream = planned(&world);
	check_random(&world, stream, 1, 20);
	move_files(&world);
	fake_set_next(world.fs, &after_refresh);
	check_random(&world, stream, 2, 50);
	check_forward(&world, stream, 200000);
	/* Now it changes. */
	after_refresh.generation = 12;
	after_refresh.subvolume.generation = 12;
	after_refresh.root_item.ctransid = 12;
	fake_set_next(world.fs, &after_refresh);
	fs_refresh(world.fs);
	g_assert_cmpint(stream_read(stream, STREAM_V1, world.damaged_at + 100, &byte, 1, &got), ==, -ESTALE);
	g_clear_pointer(&stream, stream_unref);
	world_end(&world);
}

static void test_damaged(void)
{
	g_autoptr(Stream) stream = NULL;
	g_autofree uint8_t *buffer = g_malloc(1 << 20);
	struct world world;
	size_t got = 0;

	world_begin(&world, 4 << 20, 0);
	world.fs->image->data[world.file3 + 49152 + 5000] ^= 1;
	world.fs->mirror[world.file3 + 49152 + 5000] ^= 1;
	stream = planned(&world);
	g_assert_cmpint(stream_read(stream, STREAM_V1, 10, buffer, 1 << 20, &got), ==, 0);
	g_assert_cmpuint(10 + got, ==, world.damaged_at);
	g_assert_true(memcmp(buffer, world.whole->data + 10, got) == 0);
	g_assert_cmpint(stream_read(stream, STREAM_V1, world.damaged_at, buffer, 1, &got), ==, -EIO);
	check_slice(&world, stream, world.whole->len - 50000, 60000);
	/* One good copy is enough. */
	world.fs->mirror[world.file3 + 49152 + 5000] ^= 1;
	check_forward(&world, stream, 100000);
	g_clear_pointer(&stream, stream_unref);
	world_end(&world);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/stream/slices", test_slices);
	g_test_add_func("/stream/variants", test_variants);
	g_test_add_func("/stream/threads", test_threads);
	g_test_add_func("/stream/idle", test_idle);
	g_test_add_func("/stream/clone_sources", test_clone_sources);
	g_test_add_func("/stream/called_off", test_called_off);
	g_test_add_func("/stream/refused", test_refused);
	g_test_add_func("/stream/planned_again", test_planned_again);
	g_test_add_func("/stream/moved", test_moved);
	g_test_add_func("/stream/damaged", test_damaged);
	return g_test_run();
}
