/*
 * Random histories of a btrfs, and their replay:
 *
 *	history --seed N [--ops M] [--profile P] --print
 *	history --seed N [--ops M] [--profile P] [--verbose] DIR
 *	history --replay FILE [--verbose] DIR
 *
 * DIR is where the top of a writable btrfs is mounted; the history makes its
 * own subvolumes there.
 */
#include "generate.h"
#include "replay.h"
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	gint64 seed = 1;
	gint n_operations = 0;
	gboolean print = FALSE, verbose = FALSE;
	g_autofree char *profile = NULL, *file = NULL, *history = NULL, *dir = NULL;
	g_autoptr(GError) error = NULL;
	const GOptionEntry entries[] = {
		{ "seed", 's', 0, G_OPTION_ARG_INT64, &seed, "Which history", "N" },
		{ "ops", 'o', 0, G_OPTION_ARG_INT, &n_operations, "About how many operations", "M" },
		{ "profile", 'p', 0, G_OPTION_ARG_STRING, &profile,
		  "mixed, dirs, data, links, xattrs, forks or clones", "P" },
		{ "print", 0, 0, G_OPTION_ARG_NONE, &print, "Only print the history", NULL },
		{ "replay", 'r', 0, G_OPTION_ARG_FILENAME, &file, "The history in FILE", "FILE" },
		{ "verbose", 'v', 0, G_OPTION_ARG_NONE, &verbose, "Say which operations fail", NULL },
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	g_autoptr(GOptionContext) context = g_option_context_new("[DIR]");

	g_option_context_add_main_entries(context, entries, NULL);
	if (!g_option_context_parse(context, &argc, &argv, &error) ||
	    (file && !g_file_get_contents(file, &history, NULL, &error))) {
		fprintf(stderr, "history: %s\n", error->message);
		return 2;
	}
	if (!file)
		history = generate_history((guint64)seed, (unsigned)MAX(n_operations, 0), profile);
	if (!history || argc != (print ? 1 : 2)) {
		fprintf(stderr, "usage: history (--seed N [--ops M] [--profile P] | --replay FILE) "
				"(--print | DIR)\n");
		return 2;
	}
	if (print) {
		fputs(history, stdout);
		return 0;
	}
	dir = realpath(argv[1], NULL);
	if (!dir) {
		perror(argv[1]);
		return 2;
	}
	return replay(&(struct replay_options){ .dir = dir, .verbose = verbose }, history) < 0;
}
