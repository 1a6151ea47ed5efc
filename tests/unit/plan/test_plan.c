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
	const uint64_t size = plan_builder_size(builder);
	Plan *plan = NULL;

	g_assert_cmpint(plan_builder_finish(builder, &plan), ==, 0);
	g_assert_cmpuint(plan_stream_size(plan), ==, size);
	return plan;
}

/* Renders all chunks; checks that they tile the stream and are found from
 * their first and their last byte. */
static GByteArray *render_all(const Plan *plan)
{
	GByteArray *out = g_byte_array_new();
	struct plan_chunk chunk, again;

	for (uint64_t at = 0; at < plan_stream_size(plan); at += chunk.len) {
		g_assert_cmpint(plan_chunk_at(plan, at, &chunk), ==, 0);
		g_assert_cmpuint(chunk.offset, ==, at);
		g_assert_cmpuint(chunk.len, >, 0);
		g_assert_cmpuint(chunk.len, <=, PLAN_CHUNK_MOST);
		g_assert_cmpint(plan_chunk_at(plan, at + chunk.len - 1, &again), ==, 0);
		g_assert_true(again.offset == chunk.offset && again.len == chunk.len);
		g_assert_cmpint(model_render(plan, &chunk, out), ==, 0);
		g_assert_cmpuint(out->len, ==, at + chunk.len);
	}
	g_assert_cmpint(plan_chunk_at(plan, plan_stream_size(plan), &chunk), ==, -ERANGE);
	return out;
}

static void check_totals(const Plan *plan, const GByteArray *expected)
{
	const struct plan_totals totals = plan_totals(plan);
	struct stream_reader reader = stream_reader_of(span_of_bytes(expected));
	struct stream_command command;
	struct plan_totals counted = { 0 };

	while (stream_next(&reader, &command) > 0)
		counted.commands[command.type]++;
	for (unsigned i = 0; i < G_N_ELEMENTS(totals.commands); i++)
		g_assert_cmpuint(totals.commands[i], ==, counted.commands[i]);
	g_assert_cmpuint(totals.literal_bytes + totals.data_bytes, ==, plan_stream_size(plan));
	g_assert_cmpuint(totals.cloned_bytes, ==, 4096 * counted.commands[CMD_CLONE]);
}

static void check_slices(const Plan *plan, const GByteArray *expected, uint32_t seed, unsigned n)
{
	g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
	g_autoptr(GByteArray) out = g_byte_array_new();

	for (unsigned i = 0; i < n; i++) {
		const uint64_t at = (uint64_t)g_rand_int_range(rand, 0, (gint32)expected->len);
		struct plan_chunk chunk;

		g_byte_array_set_size(out, 0);
		g_assert_cmpint(plan_chunk_at(plan, at, &chunk), ==, 0);
		g_assert_true(chunk.offset <= at && at < chunk.offset + chunk.len);
		g_assert_cmpint(model_render(plan, &chunk, out), ==, 0);
		g_assert_true(span_equal(span_of_bytes(out),
					 span_of(expected->data + chunk.offset, chunk.len)));
	}
}

static void check_same_chunks(const Plan *a, const Plan *b)
{
	struct plan_chunk one, other;

	for (uint64_t at = 0; at < plan_stream_size(a); at += one.len) {
		g_assert_cmpint(plan_chunk_at(a, at, &one), ==, 0);
		g_assert_cmpint(plan_chunk_at(b, at, &other), ==, 0);
		g_assert_cmpuint(one.len, ==, other.len);
	}
}

static void check_random(enum stream_protocol protocol, uint32_t seed, unsigned n)
{
	static const size_t memories[] = { SIZE_MAX, 100000, 0 };
	PlanBuilder *builders[3];
	struct command_sink sinks[3];
	Plan *plans[3];
	g_autoptr(GByteArray) expected = g_byte_array_new();

	for (size_t i = 0; i < 3; i++) {
		builders[i] = plan_builder_new(protocol, memories[i], g_get_tmp_dir());
		sinks[i] = plan_builder_sink(builders[i]);
	}
	model_commands(protocol, seed, n, sinks, 3, expected);
	for (size_t i = 0; i < 3; i++) {
		g_autoptr(GByteArray) got = NULL;

		plans[i] = finish(builders[i]);
		plan_builder_free(builders[i]);
		got = render_all(plans[i]);
		g_assert_true(span_equal(span_of_bytes(got), span_of_bytes(expected)));
		check_totals(plans[i], expected);
		check_slices(plans[i], expected, seed, 20);
		check_same_chunks(plans[0], plans[i]);
	}
	for (size_t i = 0; i < 3; i++)
		plan_unref(plans[i]);
}

static void test_random(void)
{
	for (uint32_t seed = 0; seed < 12; seed++) {
		check_random(STREAM_PROTOCOL_1, seed, 10 + seed * 40);
		check_random(STREAM_PROTOCOL_2, seed, 10 + seed * 40);
	}
}

static void test_empty(void)
{
	g_autoptr(PlanBuilder) builder = plan_builder_new(STREAM_PROTOCOL_1, 0, NULL);
	g_autoptr(Plan) plan = finish(builder);
	g_autoptr(GByteArray) got = render_all(plan);
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
	g_autoptr(PlanBuilder) builder = plan_builder_new(STREAM_PROTOCOL_1, 50000, "/tmp");
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
		model_encode(STREAM_PROTOCOL_1, &c, expected);
		g_assert_cmpint(command_put(&sink, &attr), ==, 0);
		c = (struct command){ .type = CMD_UNLINK, .path = span_str("p") };
		g_assert_cmpint(command_put(&sink, &c), ==, 0);
		model_encode(STREAM_PROTOCOL_1, &c, expected);
		g_assert_cmpint(command_put(&sink, &attr), ==, 0);
	}
	plan = finish(builder);
	got = render_all(plan);
	g_assert_true(span_equal(span_of_bytes(got), span_of_bytes(expected)));
}

/* A hole of 5 TiB: parts are found by arithmetic. */
static void check_huge(enum stream_protocol protocol, size_t path_len)
{
	const uint64_t len = UINT64_C(5) << 40, most = write_data_max(protocol);
	const uint64_t command_len = write_encoded_len(protocol, path_len, most);
	g_autoptr(PlanBuilder) builder = plan_builder_new(protocol, 0, g_get_tmp_dir());
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
	g_assert_cmpuint(plan_totals(plan).commands[CMD_WRITE], ==, (len + 1 + most - 1) / most);
	g_assert_cmpuint(plan_totals(plan).file_bytes, ==, len + 1);
	for (unsigned i = 0; i < 200; i++) {
		uint64_t at = (uint64_t)(g_rand_double(rand) * (double)plan_stream_size(plan));
		g_autoptr(GByteArray) expected = g_byte_array_new();
		uint64_t first, n;

		g_assert_cmpint(plan_chunk_at(plan, at, &chunk), ==, 0);
		g_assert_true(chunk.offset <= at && at - chunk.offset < chunk.len);
		if (chunk.offset < STREAM_HEADER_LEN ||
		    chunk.offset + chunk.len + command_len > plan_stream_size(plan))
			continue;
		first = (chunk.offset - STREAM_HEADER_LEN) / command_len;
		n = chunk.len / command_len;
		g_assert_cmpuint(first * command_len + STREAM_HEADER_LEN, ==, chunk.offset);
		c.write.offset = 4096 + first * most;
		c.write.len = n * most;
		model_encode(protocol, &c, expected);
		g_byte_array_set_size(got, 0);
		g_assert_cmpint(model_render(plan, &chunk, got), ==, 0);
		g_assert_true(span_equal(span_of_bytes(got), span_of_bytes(expected)));
	}
	/* The last part and what follows. */
	g_assert_cmpint(plan_chunk_at(plan, plan_stream_size(plan) - 11, &chunk), ==, 0);
	g_assert_cmpuint(chunk.offset + chunk.len, ==, plan_stream_size(plan) - 10);
	g_assert_cmpint(plan_chunk_at(plan, plan_stream_size(plan) - 10, &chunk), ==, 0);
	g_assert_cmpuint(chunk.len, ==, 10);
}

static void test_huge(void)
{
	check_huge(STREAM_PROTOCOL_1, 0);
	check_huge(STREAM_PROTOCOL_1, 4095);
	check_huge(STREAM_PROTOCOL_2, 4095);
}

static void test_errors(void)
{
	g_autoptr(PlanBuilder) builder = plan_builder_new(STREAM_PROTOCOL_1, 0, g_get_tmp_dir());
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
	c.write.len = INT64_MAX;
	g_assert_cmpint(command_put(&sink, &c), ==, -EOVERFLOW);
	c.write.len = UINT64_MAX;
	g_assert_cmpint(command_put(&sink, &c), ==, -EOVERFLOW);
	c.write.len = 0;
	g_assert_cmpint(command_put(&sink, &c), ==, 0);
	c.type = CMD_ENCODED_WRITE;
	g_assert_cmpint(command_put(&sink, &c), ==, -EINVAL);
	c = (struct command){ .type = CMD_FALLOCATE, .hole = { 1, 4096, 8192, 4096 } };
	g_assert_cmpint(command_put(&sink, &c), ==, 0);
	g_assert_cmpuint(plan_builder_size(builder), ==, STREAM_HEADER_LEN);
	plan = finish(builder);
	got = render_all(plan);
	g_assert_cmpuint(got->len, ==, STREAM_HEADER_LEN);
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
	g_autoptr(PlanBuilder) builder = plan_builder_new(STREAM_PROTOCOL_1, 0, "/nonexistent");
	g_autoptr(PlanBuilder) in_memory = plan_builder_new(STREAM_PROTOCOL_1, 0, NULL);
	Plan *plan = NULL;

	g_assert_cmpint(fill(builder), ==, -ENOENT);
	g_assert_cmpint(fill(builder), ==, -ENOENT);
	g_assert_cmpint(plan_builder_finish(builder, &plan), ==, -ENOENT);
	g_assert_null(plan);
	g_assert_cmpint(fill(in_memory), ==, 0);
	plan = finish(in_memory);
	g_assert_cmpuint(plan_memory(plan), >, plan_stream_size(plan));
	plan_unref(plan);
}

/* A limit on files stands for a full file system. */
static void test_file_full(void)
{
	const struct rlimit small = { .rlim_cur = 100000, .rlim_max = RLIM_INFINITY };
	struct rlimit before;
	g_autoptr(PlanBuilder) builder = plan_builder_new(STREAM_PROTOCOL_1, 0, g_get_tmp_dir());
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
	g_autoptr(PlanBuilder) builder = plan_builder_new(STREAM_PROTOCOL_1, SIZE_MAX, NULL);
	g_autoptr(GByteArray) out = g_byte_array_new();
	g_autoptr(Plan) plan = NULL;
	struct plan_chunk chunk;

	g_assert_cmpint(fill(builder), ==, 0);
	plan = finish(builder);
	g_assert_cmpint(plan_chunk_at(plan, 0, &chunk), ==, 0);
	chunk.len--;
	g_assert_cmpint(model_render(plan, &chunk, out), ==, -EINVAL);
	chunk.len++;
	chunk.offset++;
	g_assert_cmpint(model_render(plan, &chunk, out), ==, -EINVAL);
	chunk.offset = plan_stream_size(plan);
	g_assert_cmpint(model_render(plan, &chunk, out), ==, -EINVAL);
}

static int stop(void *user, const struct plan_run *run)
{
	(void)run;
	++*(int *)user;
	return 42;
}

static void test_visit_stops(void)
{
	g_autoptr(PlanBuilder) builder = plan_builder_new(STREAM_PROTOCOL_1, SIZE_MAX, NULL);
	struct command_sink sink = plan_builder_sink(builder);
	struct command c = { .type = CMD_WRITE, .path = span_str("f") };
	g_autoptr(Plan) plan = NULL;
	struct plan_chunk chunk;
	int n = 0;

	c.write.len = 100;
	g_assert_cmpint(command_put(&sink, &c), ==, 0);
	plan = finish(builder);
	g_assert_cmpint(plan_chunk_at(plan, 0, &chunk), ==, 0);
	g_assert_cmpint(plan_chunk_visit(plan, &chunk, stop, &n), ==, 42);
	g_assert_cmpint(n, ==, 1);
}

struct reader {
	const Plan *plan;
	const GByteArray *expected;
	uint32_t seed;
};

static void *read_randomly(void *user)
{
	const struct reader *reader = user;

	check_slices(reader->plan, reader->expected, reader->seed, 60);
	return NULL;
}

static void test_threads(void)
{
	g_autoptr(PlanBuilder) builder = plan_builder_new(STREAM_PROTOCOL_1, 70000,
							  g_get_tmp_dir());
	struct command_sink sink = plan_builder_sink(builder);
	g_autoptr(GByteArray) expected = g_byte_array_new();
	g_autoptr(Plan) plan = NULL;
	struct reader readers[8];
	pthread_t threads[8];

	model_commands(STREAM_PROTOCOL_1, 99, 800, &sink, 1, expected);
	plan = finish(builder);
	for (uint32_t i = 0; i < 8; i++) {
		readers[i] = (struct reader){ plan, expected, i };
		g_assert_cmpint(pthread_create(&threads[i], NULL, read_randomly, &readers[i]), ==,
				0);
	}
	for (size_t i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/plan/random", test_random);
	g_test_add_func("/plan/empty", test_empty);
	g_test_add_func("/plan/small-commands", test_small_commands);
	g_test_add_func("/plan/huge", test_huge);
	g_test_add_func("/plan/errors", test_errors);
	g_test_add_func("/plan/no-spill-dir", test_no_spill_dir);
	g_test_add_func("/plan/file-full", test_file_full);
	g_test_add_func("/plan/wrong-chunk", test_wrong_chunk);
	g_test_add_func("/plan/visit-stops", test_visit_stops);
	g_test_add_func("/plan/threads", test_threads);
	return g_test_run();
}
