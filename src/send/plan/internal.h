#pragma once
#include "send/plan/block_store.h"
#include "send/plan/plan.h"

/* What is known of one of its streams. */
struct plan_variant {
	struct plan_totals totals;
	int error; /* what ends it, or 0 */
};

/* A plan of @store, which it takes; NULL without memory (and nothing taken).
 * @digest: plan_digest(). */
Plan *plan_new(BlockStore *store, const struct plan_variant variants[STREAM_VARIANTS],
	       uint64_t digest);
