#pragma once
#include "send/plan/block_store.h"
#include "send/plan/plan.h"

/* A plan of @store, which it takes; NULL without memory (and nothing taken). */
Plan *plan_new(enum stream_protocol protocol, BlockStore *store, const struct plan_totals *totals);
