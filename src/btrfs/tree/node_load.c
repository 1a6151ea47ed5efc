#include "btrfs/tree/node_load.h"
#include "base/cause.h"
#include "base/lock.h"
#include "btrfs/tree/node_verify.h"
#include <inttypes.h>
#include <stdlib.h>

/* How much an error tells, when copies fail for several reasons. */
static int telling(int error)
{
	switch (error) {
	case -ENOMEM:
		return 5;
	case -ESTALE:
		return 4;
	case -EUCLEAN:
		return 3;
	case -EBADMSG:
		return 2;
	default:
		return 1;
	}
}

/* What came of reading copies: which were no good, and why. */
struct findings {
	GString *text; /* NULL: none */
	/* A copy is a sound block of a later commit. */
	bool used_again;
};

typedef struct findings Findings;

static void findings_clear(Findings *findings)
{
	if (findings->text)
		g_string_free(findings->text, TRUE);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Findings, findings_clear)

static void note_finding(const NodeStore *store, const struct node_want *want, unsigned copy,
			 const char *why, Findings *findings)
{
	g_autofree char *place = volume_describe(store->volume, want->logical, copy);

	if (!findings->text)
		findings->text = g_string_new(NULL);
	g_string_append_printf(findings->text, "%s%s: %s", findings->text->len ? "; " : "", place,
			       why);
}

static int load_copy(NodeStore *store, const struct node_want *want, unsigned copy,
		     uint8_t *buffer, Findings *findings)
{
	int r = volume_read(store->volume, want->logical, copy, buffer, store->format.node_size);

	atomic_fetch_add_explicit(&store->requests, 1, memory_order_relaxed);
	if (r == -ENOMEM)
		return r;
	if (r < 0) {
		note_finding(store, want, copy, r == -ENODEV ? "missing" : "cannot be read",
			     findings);
		/* no chunk: -ENOENT is for keys that are not there */
		return r == -ENOENT ? -EUCLEAN : -EIO;
	}
	atomic_fetch_add_explicit(&store->blocks_read, 1, memory_order_relaxed);
	r = node_verify(&store->format, want, buffer);
	if (r < 0)
		note_finding(store, want, copy, node_fault(&store->format, want, buffer),
			     findings);
	if (r == -ESTALE && node_block_generation(buffer) > want->generation)
		findings->used_again = true;
	return r;
}

static void note_suspect(NodeStore *store, const struct node_want *want, unsigned good)
{
	LOCK_SCOPE(&store->lock);
	const unsigned n = atomic_load(&store->n_suspects);

	if (n == SUSPECTS_MOST)
		return;
	store->suspects[n] = (struct suspect){ .want = *want, .good = good };
	atomic_store(&store->n_suspects, n + 1);
}

int node_load(NodeStore *store, const struct node_want *want, uint8_t *buffer)
{
	const unsigned copies = volume_copies(store->volume, want->logical);
	g_auto(Findings) findings = { 0 };
	int error = -EUCLEAN;

	for (unsigned copy = 0; copy < copies; copy++) {
		const int r = load_copy(store, want, copy, buffer, &findings);

		if (r == 0 && copy > 0 && !findings.used_again)
			note_suspect(store, want, copy);
		if (r == 0 || r == -ENOMEM)
			return r;
		if (copy == 0 || telling(r) > telling(error))
			error = r;
	}
	cause_set("tree block %" PRIu64 " of level %u (%s)", want->logical, want->level,
		  findings.text ? findings.text->str : "no chunk covers it");
	return error;
}

/* Both, the bad ones and the good one, must be as they were. */
static void tell_suspect(NodeStore *store, const struct suspect *suspect, uint8_t *buffer)
{
	const struct node_want *want = &suspect->want;
	g_auto(Findings) findings = { 0 }, none = { 0 };
	g_autofree char *good = NULL;

	for (unsigned copy = 0; copy < suspect->good; copy++)
		load_copy(store, want, copy, buffer, &findings);
	if (!findings.text || findings.used_again ||
	    load_copy(store, want, suspect->good, buffer, &none) < 0 ||
	    !seen_add(store->told, want->logical, want->generation))
		return;
	good = volume_describe(store->volume, want->logical, suspect->good);
	log_line(store->log, LOG_LEVEL_WARNING,
		 "tree block %" PRIu64 ": bad copy (%s), taken from %s", want->logical,
		 findings.text->str, good);
}

static unsigned take_suspects(NodeStore *store, struct suspect *ret)
{
	LOCK_SCOPE(&store->lock);
	const unsigned n = atomic_exchange(&store->n_suspects, 0);

	memcpy(ret, store->suspects, n * sizeof(ret[0]));
	return n;
}

bool node_store_suspects(const NodeStore *store)
{
	return atomic_load(&store->n_suspects) > 0;
}

void node_store_tell_bad(NodeStore *store)
{
	struct suspect suspects[SUSPECTS_MOST];
	uint8_t *buffer;
	unsigned n;

	if (!node_store_suspects(store))
		return;
	buffer = malloc(store->format.node_size);
	if (!buffer)
		return;
	n = take_suspects(store, suspects);
	for (unsigned i = 0; i < n; i++)
		tell_suspect(store, &suspects[i], buffer);
	free(buffer);
}
