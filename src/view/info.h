#pragma once
#include "send/plan/plan.h"
#include "view/pair.h"

/*
 * The text of the file "info": a line "key=value" for each fact about a
 * stream.  Bytes below 0x20, 0x7f and '\' in values are written \ooo (octal).
 * To be freed with g_free().
 */
char *info_text(const uint8_t fsid[16], const struct view_pair *pair,
		enum stream_protocol protocol, uint64_t size, const struct plan_totals *totals);
