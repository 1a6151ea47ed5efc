/* Plans against the same commands encoded at once. */
#include "model.h"
#include "send/wire/decode.h"
#include "support/bytes.h"
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

static Plan *finish(PlanBuilder *builder)
{
	Plan *plan = NULL;

	g_assert_cmpint(plan_builder_finish(builder, &plan), ==, 0);
	return plan;
}

/* Renders all chunks; checks that they tile the stream and are found from
 * their first and their last byte. */
static GByteArray *render_all(enum stream_variant variant, const Plan *plan)
{
	GByteArray *out = g_byte_array_new();
	struct plan_chunk chunk, again;

	for (uint64_t at = 0; at < plan_stream_size(plan, variant); at += chunk.len) {
		g_assert_cmpint(plan_chunk_at(plan, variant, at, &chunk), ==, 0);
		g_assert_cmpuint(chunk.offset, ==, at);
		g_assert_cmpuint(chunk.len, >, 0);
		g_assert_cmpuint(chunk.len, <=, PLAN_CHUNK_MOST);
		g_assert_cmpint(plan_chunk_at(plan, variant, at + chunk.len - 1, &again), ==, 0);
		g_assert_true(again.offset == chunk.offset && again.len == chunk.len);
		g_assert_cmpint(model_render(plan, variant, &chunk, out), ==, 0);
		g_assert_cmpuint(out->len, ==, at + chunk.len);
	}
	g_assert_cmpint(plan_chunk_at(plan, variant, plan_stream_size(plan, variant), &chunk), ==, -ERANGE);
	return out;
}

static void check_totals(enum stream_variant variant, const Plan *plan, const GByteArray *expected)
{
	const struct plan_totals totals = plan_totals(plan, variant);
	struct stream_reader reader = stream_reader_of(span_of_bytes(expected));
	struct stream_command command;
	struct plan_totals counted = { 0 };

	while (stream_next(&reader, &command) > 0)
		counted.commands[command.type]++;
	for (unsigned i = 0; i < G_N_ELEMENTS(totals.commands); i++)
		g_assert_cmpuint(totals.commands[i], ==, counted.commands[i]);
	g_assert_cmpuint(totals.literal_bytes + totals.data_bytes, ==, plan_stream_size(plan, variant));
	g_assert_cmpuint(totals.cloned_bytes, ==, 4096 * counted.commands[CMD_CLONE]);
}

static void check_slices(enum stream_variant variant, const Plan *plan, const GByteArray *expected,
			 uint32_t seed, unsigned n)
{
	g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
	g_autoptr(GByteArray) out = g_byte_array_new();

	for (unsigned i = 0; i < n; i++) {
		const uint64_t at = (uint64_t)g_rand_int_range(rand, 0, (gint32)expected->len);
		struct plan_chunk chunk;

		g_byte_array_set_size(out, 0);
		g_assert_cmpint(plan_chunk_at(plan, variant, at, &chunk), ==, 0);
		g_assert_true(chunk.offset <= at && at < chunk.offset + chunk.len);
		g_assert_cmpint(model_render(plan, variant, &chunk, out), ==, 0);
		g_assert_true(span_equal(span_of_bytes(out),
					 span_of(expected->data + chunk.offset, chunk.len)));
	}
}

static void check_same_chunks(enum stream_variant variant, const Plan *a, const Plan *b)
{
	struct plan_chunk one, other;

	for (uint64_t at = 0; at < plan_stream_size(a, variant); at += one.len) {
		g_assert_cmpint(plan_chunk_at(a, variant, at, &one), ==, 0);
		g_assert_cmpint(plan_chunk_at(b, variant, at, &other), ==, 0);
		g_assert_cmpuint(one.len, ==, other.len);
	}
}

static void check_variant(enum stream_variant variant, Plan *const plans[3],
			  const GByteArray *expected, uint32_t seed)
{
	for (size_t i = 0; i < 3; i++) {
		g_autoptr(GByteArray) got = render_all(variant, plans[i]);

		g_assert_cmpint(plan_error(plans[i], variant), ==, 0);
		g_assert_true(span_equal(span_of_bytes(got), span_of_bytes(expected)));
		check_totals(variant, plans[i], expected);
		check_slices(variant, plans[i], expected, seed, 20);
		check_same_chunks(variant, plans[0], plans[i]);
	}
}

static void check_random(uint32_t seed, unsigned n)
{
	static const size_t memories[] = { SIZE_MAX, 100000, 0 };
	PlanBuilder *builders[3];
	struct command_sink sinks[3];
	GByteArray *expected[STREAM_VARIANTS];
	Plan *plans[3];

	for (size_t i = 0; i < 3; i++) {
		builders[i] = plan_builder_new(memories[i], g_get_tmp_dir());
		sinks[i] = plan_builder_sink(builders[i]);
	}
	model_commands(seed, n, sinks, 3, expected);
	for (size_t i = 0; i < 3; i++) {
		plans[i] = finish(builders[i]);
		plan_builder_free(builders[i]);
	}
	for (unsigned variant = 0; variant < STREAM_VARIANTS; variant++) {
		check_variant(variant, plans, expected[variant], seed);
		g_byte_array_unref(expected[variant]);
	}
	for (size_t i = 0; i < 3; i++)
		plan_unref(plans[i]);
}

static void test_random(void)
{
	for (uint32_t seed = 0; seed < 12; seed++)
		check_random(seed, 10 + seed * 40);
}

static void test_empty(void)
{
	const enum stream_variant variant = STREAM_V1;
	g_autoptr(PlanBuilder) builder = plan_builder_new(0, NULL);
	g_autoptr(Plan) plan = finish(builder);
	g_autoptr(GByteArray) got = render_all(variant, plan);
	struct command_sink sink = plan_builder_sink(builder);
	const struct command end = { .type = CMD_END };
	Plan *again = NULL;

	g_assert_cmpuint(got->len, ==, STREAM_HEADER_LEN);
	g_assert_cmpint(command_put(&sink, &end), ==, -EINVAL);
	g_assert_cmpint(plan_builder_finish(builder, &again), ==, -EINVAL);
}

/* Many small commands: chunks are of a useful size, and a command that gives
 * nothing leaves no trace wherever a block happens to end. */
static void test_small_commands(void)
{
	const enum stream_variant variant = STREAM_V1;
	g_autoptr(PlanBuilder) builder = plan_builder_new(50000, "/tmp");
	g_autoptr(GByteArray) expected = g_byte_array_new();
	g_autoptr(GByteArray) got = NULL;
	g_autoptr(Plan) plan = NULL;
	struct command_sink sink = plan_builder_sink(builder);
	const struct command attr = { .type = CMD_FILEATTR };

	g_byte_array_set_size(expected, STREAM_HEADER_LEN);
	stream_header_encode(STREAM_PROTOCOL_1, expected->data);
	for (unsigned i = 0; i < 20000; i++) {
		struct command c = { .type = CMD_WRITE, .path = span_str("some/path") };

		c.write.ino = 257 + i;
		c.write.len = 1 + i % 3;
		c.write.place = model_place(c.write.ino, 0);
		g_assert_cmpint(command_put(&sink, &c), ==, 0);
		model_encode(variant, &c, expected);
		g_assert_cmpint(command_put(&sink, &attr), ==, 0);
		c = (struct command){ .type = CMD_UNLINK, .path = span_str("p") };
		g_assert_cmpint(command_put(&sink, &c), ==, 0);
		model_encode(variant, &c, expected);
		g_assert_cmpint(command_put(&sink, &attr), ==, 0);
	}
	plan = finish(builder);
	got = render_all(variant, plan);
	g_assert_true(span_equal(span_of_bytes(got), span_of_bytes(expected)));
}

/* A hole of 5 TiB: parts are found by arithmetic. */
static void check_huge(enum stream_variant variant, size_t path_len)
{
	const enum stream_protocol protocol = variant_protocol(variant);
	const uint64_t len = UINT64_C(5) << 40, most = write_data_max(protocol);
	const uint64_t command_len = write_encoded_len(protocol, path_len, most);
	g_autoptr(PlanBuilder) builder = plan_builder_new(0, g_get_tmp_dir());
	g_autofree char *path = g_strnfill(path_len, 'p');
	g_autoptr(GByteArray) got = g_byte_array_new();
	g_autoptr(GRand) rand = g_rand_new_with_seed(7);
	struct command_sink sink = plan_builder_sink(builder);
	struct command c = { .type = CMD_WRITE, .path = span_of(path, path_len) };
	const struct command end = { .type = CMD_END };
	g_autoptr(Plan) plan = NULL;
	struct plan_chunk chunk;

	c.write.offset = 4096;
	c.write.ino = 257;
	c.write.len = len + 1;
	c.write.place.kind = DATA_ZERO;
	g_assert_cmpint(command_put(&sink, &c), ==, 0);
	g_assert_cmpint(command_put(&sink, &end), ==, 0);
	plan = finish(builder);
	g_assert_cmpuint(plan_totals(plan, variant).commands[CMD_WRITE], ==, (len + 1 + most - 1) / most);
	g_assert_cmpuint(plan_totals(plan, variant).file_bytes, ==, len + 1);
	for (unsigned i = 0; i < 200; i++) {
		uint64_t at = (uint64_t)(g_rand_double(rand) * (double)plan_stream_size(plan, variant));
		g_autoptr(GByteArray) expected = g_byte_array_new();
		uint64_t first, n;

		g_assert_cmpint(plan_chunk_at(plan, variant, at, &chunk), ==, 0);
		g_assert_true(chunk.offset <= at && at - chunk.offset < chunk.len);
		if (chunk.offset < STREAM_HEADER_LEN ||
		    chunk.offset + chunk.len + command_len > plan_stream_size(plan, variant))
			continue;
		first = (chunk.offset - STREAM_HEADER_LEN) / command_len;
		n = chunk.len / command_len;
		g_assert_cmpuint(first * command_len + STREAM_HEADER_LEN, ==, chunk.offset);
		c.write.offset = 4096 + first * most;
		c.write.len = n * most;
		model_encode(variant, &c, expected);
		g_byte_array_set_size(got, 0);
		g_assert_cmpint(model_render(plan, variant, &chunk, got), ==, 0);
		g_assert_true(span_equal(span_of_bytes(got), span_of_bytes(expected)));
	}
	/* The last part and what follows. */
	g_assert_cmpint(plan_chunk_at(plan, variant, plan_stream_size(plan, variant) - 11, &chunk), ==, 0);
	g_assert_cmpuint(chunk.offset + chunk.len, ==, plan_stream_size(plan, variant) - 10);
	g_assert_cmpint(plan_chunk_at(plan, variant, plan_stream_size(plan, variant) - 10, &chunk), ==, 0);
	g_assert_cmpuint(chunk.len, ==, 10);
}

static void test_huge(void)
{
	check_huge(STREAM_V1, 0);
	check_huge(STREAM_V1, 4095);
	check_huge(STREAM_V2, 4095);
}

static void test_errors(void)
{
	const enum stream_variant variant = STREAM_V1;
	g_autoptr(PlanBuilder) builder = plan_builder_new(0, g_get_tmp_dir());
	g_autofree char *path = g_strnfill(4096, 'p');
	struct command_sink sink = plan_builder_sink(builder);
	struct command c = { .type = CMD_UNLINK, .path = span_of(path, 4096) };
	g_autoptr(GByteArray) got = NULL;
	g_autoptr(Plan) plan = NULL;

	g_assert_cmpint(command_put(&sink, &c), ==, -ENAMETOOLONG);
	c.type = CMD_WRITE;
	c.write.len = 1;
	g_assert_cmpint(command_put(&sink, &c), ==, -ENAMETOOLONG);
	c.path = span_str("f");
	c.write.offset = UINT64_MAX;
	g_assert_cmpint(command_put(&sink, &c), ==, -EOVERFLOW);
	c.write.offset = 0;
	c.write.len = 0;
	c.not_in = VARIANT_BIT(STREAM_NODATA);
	g_assert_cmpint(command_put(&sink, &c), ==, 0);
	c.type = CMD_ENCODED_WRITE;
	g_assert_cmpint(command_put(&sink, &c), ==, -EINVAL);
	c = (struct command){ .type = CMD_FALLOCATE, .not_in = VARIANTS_PROTOCOL_2,
			      .hole = { 1, 4096, 8192, 4096 } };
	g_assert_cmpint(command_put(&sink, &c), ==, 0);
	plan = finish(builder);
	got = render_all(variant, plan);
	g_assert_cmpuint(got->len, ==, STREAM_HEADER_LEN);
}

static uint64_t digest_of(const char *path, uint64_t address)
{
	g_autoptr(PlanBuilder) builder = plan_builder_new(0, g_get_tmp_dir());
	struct command_sink sink = plan_builder_sink(builder);
	g_autoptr(Plan) plan = NULL;

	/* As many as fill some blocks, cut elsewhere where addresses are longer. */
	for (uint64_t i = 0; i < 3000; i++) {
		struct command c = { .type = CMD_UNLINK, .path = span_str(path) };

		g_assert_cmpint(command_put(&sink, &c), ==, 0);
		c.type = CMD_WRITE;
		c.write.offset = i * 4096;
		c.write.len = 4096;
		c.write.place = (struct data_place){
			.kind = DATA_EXTENT,
			.item_offset = i * 4096,
			.ram_bytes = 4096,
			.stored_len = 4096,
			.disk_bytenr = address + i * 4096,
			.num_bytes = 4096,
		};
		g_assert_cmpint(command_put(&sink, &c), ==, 0);
		c = (struct command){ .type = CMD_UNLINK, .path = span_str("other") };
		g_assert_cmpint(command_put(&sink, &c), ==, 0);
	}
	plan = finish(builder);
	return plan_digest(plan);
}

static void test_digest(void)
{
	const uint64_t digest = digest_of("a", 1 << 20);

	g_assert_cmpuint(digest_of("a", 1 << 20), ==, digest);
	g_assert_cmpuint(digest_of("a", UINT64_C(1) << 50), ==, digest);
	g_assert_cmpuint(digest_of("b", 1 << 20), !=, digest);
}

static void check_ended(const Plan *plan, int v1, int v2, int compressed, int nodata)
{
	g_assert_cmpint(plan_error(plan, STREAM_V1), ==, v1);
	g_assert_cmpint(plan_error(plan, STREAM_V2), ==, v2);
	g_assert_cmpint(plan_error(plan, STREAM_V2_COMPRESSED), ==, compressed);
	g_assert_cmpint(plan_error(plan, STREAM_NODATA), ==, nodata);
}

/* What is too long for one variant does not touch the others. */
static void test_variants_end_alone(void)
{
	const enum stream_variant variant = STREAM_V2;
	g_autoptr(PlanBuilder) builder = plan_builder_new(0, g_get_tmp_dir());
	struct command_sink sink = plan_builder_sink(builder);
	g_autofree char *value = g_strnfill(65535, 'v');
	g_autoptr(GByteArray) expected = g_byte_array_new();
	g_autoptr(GByteArray) got = NULL;
	g_autoptr(Plan) plan = NULL;
	struct command c = { .type = CMD_SET_XATTR, .path = span_str("f") };

	g_byte_array_set_size(expected, STREAM_HEADER_LEN);
	stream_header_encode(STREAM_PROTOCOL_2, expected->data);
	c.xattr.name = span_str("user.x");
	c.xattr.value = span_of(value, 65535);
	g_assert_cmpint(command_put(&sink, &c), ==, 0);
	model_encode(variant, &c, expected);
	/* An extent that the kernel could not read into its buffer. */
	c = (struct command){ .type = CMD_WRITE, .path = span_str("f") };
	c.write.ino = 257;
	c.write.len = 200000;
	c.write.place = model_place(257, 0);
	c.write.place.stored_len = 150000;
	c.write.place.compression = 1;
	c.write.place.kind = DATA_EXTENT;
	c.not_in = VARIANTS_PROTOCOL_1 | VARIANT_BIT(STREAM_V2);
	g_assert_cmpint(command_put(&sink, &c), ==, 0);
	c = (struct command){ .type = CMD_UNLINK, .path = span_str("g") };
	g_assert_cmpint(command_put(&sink, &c), ==, 0);
	model_encode(variant, &c, expected);
	plan = finish(builder);
	check_ended(plan, -EOVERFLOW, 0, -EOVERFLOW, -EOVERFLOW);
	got = render_all(variant, plan);
	g_assert_true(span_equal(span_of_bytes(got), span_of_bytes(expected)));
}

/* A stream that has no end; the last variant takes all with it. */
static void test_stream_too_long(void)
{
	g_autoptr(PlanBuilder) builder = plan_builder_new(0, g_get_tmp_dir());
	struct command_sink sink = plan_builder_sink(builder);
	struct command c = { .type = CMD_WRITE, .path = span_str("f") };
	g_autoptr(Plan) plan = NULL;

	c.write.len = INT64_MAX;
	g_assert_cmpint(command_put(&sink, &c), ==, 0);
	c = (struct command){ .type = CMD_UNLINK, .path = span_str("g") };
	g_assert_cmpint(command_put(&sink, &c), ==, 0);
	plan = finish(builder);
	check_ended(plan, -EOVERFLOW, -EOVERFLOW, -EOVERFLOW, 0);
	g_assert_cmpuint(plan_totals(plan, STREAM_NODATA).commands[CMD_UPDATE_EXTENT], ==, 1);
	g_clear_pointer(&builder, plan_builder_free);
	builder = plan_builder_new(0, g_get_tmp_dir());
	sink = plan_builder_sink(builder);
	c = (struct command){ .type = CMD_WRITE, .path = span_str("f") };
	c.write.len = UINT64_MAX;
	c.not_in = VARIANT_BIT(STREAM_NODATA);
	g_assert_cmpint(command_put(&sink, &c), ==, 0);
	g_assert_cmpint(command_put(&sink, &c), ==, 0); /* nobody is left to want it */
}

static int fill(PlanBuilder *builder)
{
	struct command_sink sink = plan_builder_sink(builder);
	const struct command c = { .type = CMD_UNLINK, .path = span_str("some/path") };
	int r = 0;

	for (unsigned i = 0; r == 0 && i < 20000; i++)
		r = command_put(&sink, &c);
	return r;
}

static void test_no_spill_dir(void)
{
	const enum stream_variant variant = STREAM_V1;
	g_autoptr(PlanBuilder) builder = plan_builder_new(0, "/nonexistent");
	g_autoptr(PlanBuilder) in_memory = plan_builder_new(0, NULL);
	Plan *plan = NULL;

	g_assert_cmpint(fill(builder), ==, -ENOENT);
	g_assert_cmpint(fill(builder), ==, -ENOENT);
	g_assert_cmpint(plan_builder_finish(builder, &plan), ==, -ENOENT);
	g_assert_null(plan);
	g_assert_cmpint(fill(in_memory), ==, 0);
	plan = finish(in_memory);
	g_assert_cmpuint(plan_memory(plan), >, plan_stream_size(plan, variant));
	plan_unref(plan);
}

/* A limit on files stands for a full file system. */
static void test_file_full(void)
{
	const struct rlimit small = { .rlim_cur = 100000, .rlim_max = RLIM_INFINITY };
	struct rlimit before;
	g_autoptr(PlanBuilder) builder = plan_builder_new(0, g_get_tmp_dir());
	Plan *plan = NULL;
	int r;

	signal(SIGXFSZ, SIG_IGN);
	g_assert_cmpint(getrlimit(RLIMIT_FSIZE, &before), ==, 0);
	g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &small), ==, 0);
	r = fill(builder);
	g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &before), ==, 0);
	g_assert_cmpint(r, ==, -EFBIG);
	g_assert_cmpint(plan_builder_finish(builder, &plan), ==, -EFBIG);
}

static void test_wrong_chunk(void)
{
	const enum stream_variant variant = STREAM_V1;
	g_autoptr(PlanBuilder) builder = plan_builder_new(SIZE_MAX, NULL);
	g_autoptr(GByteArray) out = g_byte_array_new();
	g_autoptr(Plan) plan = NULL;
	struct plan_chunk chunk;

	g_assert_cmpint(fill(builder), ==, 0);
	plan = finish(builder);
	g_assert_cmpint(plan_chunk_at(plan, variant, 0, &chunk), ==, 0);
	chunk.len--;
	g_assert_cmpint(model_render(plan, variant, &chunk, out), ==, -EINVAL);
	chunk.len++;
	chunk.offset++;
	g_assert_cmpint(model_render(plan, variant, &chunk, out), ==, -EINVAL);
	chunk.offset = plan_stream_size(plan, variant);
	g_assert_cmpint(model_render(plan, variant, &chunk, out), ==, -EINVAL);
}

static int stop(void *user, const struct plan_run *run)
{
	(void)run;
	++*(int *)user;
	return 42;
}

static void test_visit_stops(void)
{
	const enum stream_variant variant = STREAM_V1;
	g_autoptr(PlanBuilder) builder = plan_builder_new(SIZE_MAX, NULL);
	struct command_sink sink = plan_builder_sink(builder);
	struct command c = { .type = CMD_WRITE, .path = span_str("f") };
	g_autoptr(Plan) plan = NULL;
	struct plan_chunk chunk;
	int n = 0;

	c.write.len = 100;
	g_assert_cmpint(command_put(&sink, &c), ==, 0);
	plan = finish(builder);
	g_assert_cmpint(plan_chunk_at(plan, variant, 0, &chunk), ==, 0);
	g_assert_cmpint(plan_chunk_visit(plan, variant, &chunk, stop, &n), ==, 42);
	g_assert_cmpint(n, ==, 1);
}

struct reader {
	const Plan *plan;
	GByteArray *const *expected;
	uint32_t seed;
};

static void *read_randomly(void *user)
{
	const struct reader *reader = user;

	check_slices(reader->seed % STREAM_VARIANTS, reader->plan,
		     reader->expected[reader->seed % STREAM_VARIANTS], reader->seed, 60);
	return NULL;
}

static void test_threads(void)
{
	g_autoptr(PlanBuilder) builder = plan_builder_new(70000, g_get_tmp_dir());
	struct command_sink sink = plan_builder_sink(builder);
	GByteArray *expected[STREAM_VARIANTS];
	g_autoptr(Plan) plan = NULL;
	struct reader readers[8];
	pthread_t threads[8];

	model_commands(99, 800, &sink, 1, expected);
	plan = finish(builder);
	for (uint32_t i = 0; i < 8; i++) {
		readers[i] = (struct reader){ plan, expected, i };
		g_assert_cmpint(pthread_create(&threads[i], NULL, read_randomly, &readers[i]), ==,
				0);
	}
	for (size_t i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
	for (unsigned variant = 0; variant < STREAM_VARIANTS; variant++)
		g_byte_array_unref(expected[variant]);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/plan/random", test_random);
	g_test_add_func("/plan/empty", test_empty);
	g_test_add_func("/plan/small-commands", test_small_commands);
	g_test_add_func("/plan/huge", test_huge);
	g_test_add_func("/plan/digest", test_digest);
	g_test_add_func("/plan/errors", test_errors);
	g_test_add_func("/plan/variants-end-alone", test_variants_end_alone);
	g_test_add_func("/plan/stream-too-long", test_stream_too_long);
	g_test_add_func("/plan/no-spill-dir", test_no_spill_dir);
	g_test_add_func("/plan/file-full", test_file_full);
	g_test_add_func("/plan/wrong-chunk", test_wrong_chunk);
	g_test_add_func("/plan/visit-stops", test_visit_stops);
	g_test_add_func("/plan/threads", test_threads);
	return g_test_run();
}
