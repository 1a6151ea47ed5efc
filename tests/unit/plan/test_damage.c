/* Spilled blocks that are no longer what was written. */
#include "model.h"
#include "send/plan/block.h"
#include "support/bytes.h"
#include <fcntl.h>
#include <sys/stat.h>

/* A plan whose only block is in a file.  Its descriptor is the lowest that
 * was free: the plan does not give it away. */
static Plan *spilled_plan(int *ret_fd)
{
	g_autoptr(PlanBuilder) builder = plan_builder_new(0, g_get_tmp_dir());
	struct command_sink sink = plan_builder_sink(builder);
	struct command c = { .type = CMD_MKFILE, .path = span_str("a/file") };
	const struct command end = { .type = CMD_END };
	struct stat st;
	Plan *plan = NULL;

	g_assert_cmpint(command_put(&sink, &c), ==, 0);
	for (uint64_t offset = 0; offset < 10; offset += 4) {
		c.type = CMD_WRITE;
		c.write.ino = 257 + offset;
		c.write.offset = offset << 32;
		c.write.len = offset * 300000 + 10;
		c.write.place = model_place(c.write.ino, c.write.offset);
		g_assert_cmpint(command_put(&sink, &c), ==, 0);
	}
	g_assert_cmpint(command_put(&sink, &end), ==, 0);
	*ret_fd = dup(STDOUT_FILENO);
	close(*ret_fd);
	g_assert_cmpint(plan_builder_finish(builder, &plan), ==, 0);
	g_assert_cmpint(fstat(*ret_fd, &st), ==, 0);
	g_assert_cmpuint(st.st_nlink, ==, 0);
	return plan;
}

static GByteArray *file_load(int fd)
{
	GByteArray *bytes = g_byte_array_new();
	struct stat st;

	g_assert_cmpint(fstat(fd, &st), ==, 0);
	g_byte_array_set_size(bytes, (guint)st.st_size);
	g_assert_cmpint(pread(fd, bytes->data, bytes->len, 0), ==, st.st_size);
	return bytes;
}

static void test_flipped(void)
{
	unsigned n_bits = 1;

	for (unsigned bit = 0; bit < n_bits; bit++) {
		int fd;
		g_autoptr(Plan) plan = spilled_plan(&fd);
		g_autoptr(GByteArray) bytes = file_load(fd);
		struct plan_chunk chunk;

		bytes->data[bit / 8] ^= (uint8_t)(1 << bit % 8);
		g_assert_cmpint(pwrite(fd, bytes->data + bit / 8, 1, bit / 8), ==, 1);
		g_assert_cmpint(plan_chunk_at(plan, STREAM_V1, 0, &chunk), ==, -EUCLEAN);
		n_bits = bytes->len * 8;
	}
}

static void test_cut_off(void)
{
	int fd;
	g_autoptr(Plan) plan = spilled_plan(&fd);
	struct plan_chunk chunk;

	g_assert_cmpint(ftruncate(fd, 100), ==, 0);
	g_assert_cmpint(plan_chunk_at(plan, STREAM_V1, 0, &chunk), ==, -EIO);
}

/* What stands behind the checksum is bounded too. */
static void walk(struct span bytes, const struct per_variant *stream_len)
{
	struct block block;
	struct segment segment;

	if (block_open(bytes, stream_len, &block) || block_check(&block))
		return;
	for (uint64_t at = 0; at < stream_len->of[STREAM_V1]; at = segment.offset + segment.len) {
		struct record_reader reader;
		struct plan_run run;
		int r;

		segment = block_find(&block, STREAM_V1, at);
		g_assert_cmpuint(segment.len, >, 0);
		reader = (struct record_reader){ .cursor = cursor_of(segment.records) };
		while ((r = record_next(&reader, &run)) > 0)
			if (run.kind == RUN_LITERAL)
				g_assert_cmpuint(run.literal.len, <=, segment.records.len);
		g_assert_true(r == 0 || r == -EUCLEAN);
	}
}

static void walk_damaged(struct span damaged, void *user)
{
	walk(damaged, user);
}

static void test_parser(void)
{
	int fd;
	g_autoptr(Plan) plan = spilled_plan(&fd);
	g_autoptr(GByteArray) bytes = file_load(fd);
	struct per_variant stream_len;

	for (unsigned i = 0; i < STREAM_VARIANTS; i++)
		stream_len.of[i] = plan_stream_size(plan, i);

	walk(span_of_bytes(bytes), &stream_len);
	for_each_damage(span_of_bytes(bytes), walk_damaged, &stream_len);
}

static void test_block_nonsense(void)
{
	static const struct per_variant ten = { { 10, 10, 10, 10 } };
	static const uint8_t zeros[64];
	struct block block;

	g_assert_cmpint(block_open(span_of(zeros, 3), &ten, &block), ==, -EUCLEAN);
	g_assert_cmpint(block_open(span_of(zeros, 64), &ten, &block), ==, -EUCLEAN);
}

static void expect_record(const char *bytes, size_t len, int error)
{
	struct record_reader reader = { .cursor = cursor_of(span_of(bytes, len)) };
	struct plan_run run;

	g_assert_cmpint(record_next(&reader, &run), ==, error);
}

#define DATA "\x01\x01"
#define PATH "p"

static void test_record_nonsense(void)
{
	expect_record("", 0, 0);
	expect_record("\0", 1, 1);				       /* the header */
	expect_record("\x1e\0\0\0\0", 5, -EUCLEAN);	       /* empty literal */
	expect_record("\x1e\5\0\0\0abcd", 9, -EUCLEAN);	       /* cut literal */
	expect_record("\x81\x10\x01" PATH "\x07\0\x01\0\0\0", 10, -EUCLEAN); /* variants */
	expect_record("\x80", 1, -EUCLEAN);			       /* unknown tag */
	expect_record("\x03\x01\x01\x01\0\0\0", 7, -EUCLEAN);	       /* same as nothing */
	expect_record(DATA PATH "\x07\0\x01\0\0\0", 9, 1);	       /* good */
	expect_record(DATA PATH "\x07\0\0\0\0\0", 9, -EUCLEAN);	       /* no length */
	expect_record("\x19\x01" PATH "\x07\0\x01\0\0\0", 9, -EUCLEAN); /* unknown kind */
	expect_record(DATA PATH "\x07\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\0\0\0", 18,
		      -EUCLEAN); /* past the last offset */
	expect_record(DATA PATH "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01\0\x01\0\0\0", 20,
		      -EUCLEAN); /* endless varint */
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/plan/damage/flipped", test_flipped);
	g_test_add_func("/plan/damage/cut-off", test_cut_off);
	g_test_add_func("/plan/damage/parser", test_parser);
	g_test_add_func("/plan/damage/block-nonsense", test_block_nonsense);
	g_test_add_func("/plan/damage/record-nonsense", test_record_nonsense);
	return g_test_run();
}
