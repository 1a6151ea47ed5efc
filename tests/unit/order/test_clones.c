#include "sending.h"

/* docs/send-order.md, sections 11 and 12: which data is cloned from where. */

static void assert_part(const struct sending *sending, const char *part)
{
	g_autofree char *commands = sending_commands(sending);

	if (!strstr(commands, part))
		g_test_message("without:\n%ssent:\n%s", part, commands);
	g_assert_nonnull(strstr(commands, part));
}

/* Trap 4. */
static void test_choice(void)
{
	struct sending sending = {
		.snapshot = "257 file 7 a data=0+64k@16m\n"
			    "258 file 7 b data=0+64k@16m\n"
			    "259 file 7 c data=0+64k@16m",
	};

	assert_part(&sending, "write a 0+65536\n");
	assert_part(&sending, "clone b 0+65536 from 300:a 0\n");
	assert_part(&sending, "clone c 0+65536 from 300:b 0\n");
	sending.snapshot = "257 file 7 a data=0+64k@16m";
	sending.sources[0] = "257 file 7 x data=0+64k@16m";
	sending.sources[1] = "257 dir 7 d\n258 file 7 d/y data=0+64k@16m";
	sending.sources[2] = "257 file 7 z data=0+64k@32m";
	assert_part(&sending, "clone a 0+65536 from 302:d/y 0\n");
	sending.sources[0] = sending.sources[1] = sending.sources[2] = NULL;
	sending.parent = "257 file 7 p data=0+64k@16m";
	sending.snapshot = "256 dir 1 !\n257 file 7 p data=0+64k@16m\n"
			   "258 file 7 b data=0+64k@16m";
	assert_part(&sending, "clone b 0+65536 from 300:p 0\n");
	/* Of a later inode: from the parent, if that is a source. */
	sending.parent = "257 file 7 a data=0+64k@32m\n258 file 7 b data=0+64k@16m";
	sending.snapshot = "257 file 7 a data=0+64k@16m !\n258 file 7 b data=0+64k@16m";
	assert_part(&sending, "clone a 0+65536 from 299:b 0\n");
	sending.parent_is_no_source = true;
	assert_part(&sending, "write a 0+65536\n");
}

static void test_longest(void)
{
	struct sending sending = { .snapshot = "257 file 7 a data=0+128k@16m\n"
					       "258 file 7 b data=0+64k@16m+64k\n"
					       "259 file 7 c data=0+64k@16m+64k" };

	/* b is long enough and higher. */
	assert_part(&sending, "clone b 0+65536 from 300:a 65536\n");
	assert_part(&sending, "clone c 0+65536 from 300:b 0\n");
	/* The longer one, where no one is long enough; what it lacks is written. */
	sending.snapshot = "257 file 7 a data=0+128k@16m\n"
			   "258 file 7 b data=0+64k@16m\n"
			   "259 file 7 c data=0+192k@16m";
	assert_part(&sending, "clone c 0+131072 from 300:a 0\nwrite c 131072+65536\n");
	/* Within one file: only from what has been written. */
	sending.snapshot = "257 file 7 a data=0+64k@16m data=64k+64k@16m";
	assert_part(&sending, "write a 0+65536\nclone a 65536+65536 from 300:a 0\n");
}

static void test_compressed(void)
{
	const struct sending sending = { .snapshot = "257 file 7 a zdata=0+128k@16m\n"
						     "258 file 7 b zdata=0+128k@16m\n"
						     "259 file 7 c zdata=0+64k@16m+64k" };

	assert_part(&sending, "clone b 0+131072 from 300:a 0\n");
	/* The extent's beginning stands for all of it: nothing equal is found
	 * there in b. */
	assert_part(&sending, "rename o259-7-0 -> c\nclone c 0+65536 from 300:b 65536\n");
}

/* Trap 5. */
static void test_ends(void)
{
	struct sending sending = { .snapshot = "257 file 7 src data=0+196k@16m\n"
					       "258 file 7 dst data=0+196k@16m data=196k+4k@32m" };

	assert_part(&sending, "rename o258-7-0 -> dst\n"
			      "clone dst 0+196608 from 300:src 0\n"
			      "write dst 196608+4096\n"
			      "write dst 200704+4096\n");
	sending.snapshot = "257 file 7 src data=0+8k@16m\n"
			   "258 file 7 dst data=0+8k@16m data=8k+4k@32m";
	assert_part(&sending, "write dst 0+8192\nwrite dst 8192+4096\n");
	sending.snapshot = "257 file 7 src data=0+4k@16m\n258 file 7 dst data=0+4k@16m";
	assert_part(&sending, "write dst 0+4096\n");
	sending.snapshot = "257 file 7 src data=0+8k@16m\n258 file 7 dst data=0+8k@16m";
	assert_part(&sending, "clone dst 0+8192 from 300:src 0\n");
	/* An end in the middle of a sector, not the source's. */
	sending.snapshot = "257 file 7 src data=0+64k@16m\n"
			   "258 file 7 dst size=65000 data=0+64k@16m";
	assert_part(&sending, "write dst 0+65000\n");
}

/* Sources with a gap, and with something else in the middle. */
static void test_pieces(void)
{
	struct sending sending = {
		.snapshot = "257 file 7 src data=0+64k@16m data=128k+64k@16m+128k\n"
			    "258 file 7 dst data=0+192k@16m",
	};

	assert_part(&sending, "rename o258-7-0 -> dst\n"
			      "clone dst 0+65536 from 300:src 0\n"
			      "write dst 65536+65536\n"
			      "clone dst 131072+65536 from 300:src 131072\n"
			      "chown dst\n");
	sending.snapshot = "257 file 7 src data=0+64k@16m data=64k+64k@32m data=128k+64k@16m+128k\n"
			   "258 file 7 dst data=0+192k@16m";
	assert_part(&sending, "rename o258-7-0 -> dst\n"
			      "clone dst 0+65536 from 300:src 0\n"
			      "write dst 65536+65536\n"
			      "clone dst 131072+65536 from 300:src 131072\n"
			      "chown dst\n");
}

/* Trap 19. */
static void test_many_references(void)
{
	for (unsigned refs = 1024; refs <= 1025; refs++) {
		GString *text = g_string_new("257 file 7 src data=0+64k@16m\n258 file 7 big");
		struct sending sending = { 0 };

		for (unsigned i = 0; i < refs - 1; i++)
			g_string_append_printf(text, " data=%uk+64k@16m", i * 64);
		sending.snapshot = text->str;
		assert_part(&sending, refs == 1024 ? "clone big 0+65536 from 300:src 0\n" :
						     "write big 0+65536\nwrite big 65536+65536\n");
		g_string_free(text, TRUE);
	}
}

/*
 * Trap 3.  c (there if @n_others >= 0) puts a's leaf into the cache, then
 * e @n_others more leaves.  d has the data of a and of b, which is in another
 * leaf, and would come first.  Each attribute of 3000 bytes begins a leaf, which
 * goes on with its file's extents and the next inode.  f0 is touched, so that
 * b's leaf is the snapshot's own and comes before a's.
 */
static char *cached_leaves(bool is_parent, int n_others)
{
	g_autofree char *filler = g_strnfill(3000, 'x');
	GString *text = g_string_new("256 dir 1");

	g_string_append_printf(text, "%s\n257 file 7 filler xattr=user.x:%s\n",
			       is_parent ? "" : " !", filler);
	g_string_append_printf(text, "258 file 7 a xattr=user.x:%s data=0+64k@16m "
			       "data=64k+64k@32m\n", filler);
	g_string_append_printf(text, "259 file 7 b xattr=user.x:%s data=0+64k@32m\n", filler);
	for (int i = 0; i < MAX(n_others, 1); i++)
		g_string_append_printf(text, "%d file 7 f%d%s xattr=user.x:%s data=0+64k@%dm\n",
				       260 + i, i, i || is_parent ? "" : " !", filler, 48 + i);
	if (is_parent)
		return g_string_free(text, FALSE);
	if (n_others >= 0)
		g_string_append(text, "1000 file 7 c data=0+64k@16m\n");
	if (n_others > 0)
		g_string_append(text, "1001 file 7 e");
	for (int i = 0; i < n_others; i++)
		g_string_append_printf(text, " data=%dk+64k@%dm", 64 * i, 48 + i);
	g_string_append(text, "\n1002 file 7 d data=0+64k@32m");
	return g_string_free(text, FALSE);
}

static void test_leaf_cache(void)
{
	static const struct {
		int n_others;
		const char *expected;
	} cases[] = {
		{ -1, "clone d 0+65536 from 300:b 0\n" },
		{ 0, "clone d 0+65536 from 300:a 65536\n" },
		{ 127, "clone d 0+65536 from 300:a 65536\n" },
		{ 128, "clone d 0+65536 from 300:b 0\n" },
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *parent = cached_leaves(true, cases[i].n_others);
		g_autofree char *snapshot = cached_leaves(false, cases[i].n_others);
		const struct sending sending = { .parent = parent,
						 .snapshot = snapshot,
						 .parent_is_no_source = true };

		g_test_message("%d others", cases[i].n_others);
		assert_part(&sending, cases[i].expected);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/clones/choice", test_choice);
	g_test_add_func("/clones/longest", test_longest);
	g_test_add_func("/clones/compressed", test_compressed);
	g_test_add_func("/clones/ends", test_ends);
	g_test_add_func("/clones/pieces", test_pieces);
	g_test_add_func("/clones/many_references", test_many_references);
	g_test_add_func("/clones/leaf_cache", test_leaf_cache);
	return g_test_run();
}
