#pragma once
#include "send/plan/plan.h"
#include "view/pair.h"

struct info_variant {
	bool exists; /* false: it could not be planned; the others may be */
	uint64_t size;
	struct plan_totals totals;
};

/*
 * The text of the file "info": a line "key=value" for each fact about a
 * stream, and the sizes of its variants (by enum stream_variant).  Bytes below
 * 0x20, 0x7f and '\' in values are written \ooo (octal).  To be freed with
 * g_free().
 */
char *info_text(const uint8_t fsid[16], const struct view_pair *pair,
		const struct info_variant variants[STREAM_VARIANTS]);
