#include "replay.h"
#include "model.h"
#include "session.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

guint64 number(const char *word)
{
	return g_ascii_strtoull(word, NULL, 0);
}

void session_release_all(struct session *session)
{
	GHashTableIter held;
	gpointer fd;

	g_hash_table_iter_init(&held, session->held);
	while (g_hash_table_iter_next(&held, NULL, &fd)) {
		close(GPOINTER_TO_INT(fd));
		g_hash_table_iter_remove(&held);
	}
}

static const struct operation *find_operation(const char *name)
{
	static const struct operation *const lists[] = { name_operations, data_operations,
							 volume_operations };

	for (size_t i = 0; i < G_N_ELEMENTS(lists); i++)
		for (const struct operation *op = lists[i]; op->name; op++)
			if (g_str_equal(op->name, name))
				return op;
	return NULL;
}

static int replay_line(struct session *session, const char *line)
{
	g_auto(GStrv) words = g_strsplit(line, " ", -1);
	const struct operation *op;
	int r;

	if (!*line || *line == '#')
		return 0;
	op = find_operation(words[0]);
	if (!op || g_strv_length(words) != op->n_words + 1) {
		fprintf(stderr, "history: not an operation: %s\n", line);
		return -EINVAL;
	}
	for (char **word = words + 1; *word; word++) {
		char *text = word_text(*word);

		g_free(*word);
		*word = text;
	}
	r = op->run(session, words + 1);
	if (r < 0 && r != SESSION_OVER && session->options->verbose)
		fprintf(stderr, "%s: %s\n", line, strerror(-r));
	return r == SESSION_OVER ? -EIO : 0;
}

int replay(const struct replay_options *options, const char *history)
{
	g_auto(GStrv) lines = g_strsplit(history, "\n", -1);
	struct session session = {
		.options = options,
		.held = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
		.mount_options = g_strdup("defaults"),
	};
	int r = 0;

	for (char **line = lines; *line && r == 0; line++)
		r = replay_line(&session, *line);
	if (chdir("/") < 0)
		r = -errno;
	session_release_all(&session);
	g_hash_table_unref(session.held);
	g_free(session.mount_options);
	g_free(session.subvolume);
	return r;
}
