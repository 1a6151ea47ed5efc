#include "view/info.h"
#include "send/wire/decode.h"
#include <inttypes.h>

static void add_number(GString *out, const char *key, uint64_t value)
{
	g_string_append_printf(out, "%s=%" PRIu64 "\n", key, value);
}

static void add_text(GString *out, const char *prefix, const char *key, const char *value)
{
	g_string_append_printf(out, "%s%s=", prefix, key);
	for (const unsigned char *c = (const unsigned char *)value; *c; c++) {
		if (*c < 0x20 || *c == 0x7f || *c == '\\')
			g_string_append_printf(out, "\\%03o", *c);
		else
			g_string_append_c(out, (char)*c);
	}
	g_string_append_c(out, '\n');
}

static void add_uuid(GString *out, const char *prefix, const char *key, const uint8_t uuid[16])
{
	g_string_append_printf(out, "%s%s=", prefix, key);
	for (unsigned i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			g_string_append_c(out, '-');
		g_string_append_printf(out, "%02x", uuid[i]);
	}
	g_string_append_c(out, '\n');
}

static void add_snapshot(GString *out, const char *prefix, const Snapshot *snapshot)
{
	static const uint8_t none[16];

	add_text(out, prefix, "name", snapshot->name);
	add_text(out, prefix, "path", snapshot->path);
	g_string_append(out, prefix);
	add_number(out, "id", snapshot->id);
	add_uuid(out, prefix, "uuid", snapshot->uuid);
	if (memcmp(snapshot->received_uuid, none, sizeof(none)) != 0)
		add_uuid(out, prefix, "received_uuid", snapshot->received_uuid);
	g_string_append(out, prefix);
	add_number(out, "transid", snapshot->ctransid);
	g_string_append(out, prefix);
	add_number(out, "generation", snapshot->generation);
}

static void add_commands(GString *out, const struct plan_totals *totals)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < G_N_ELEMENTS(totals->commands); i++)
		sum += totals->commands[i];
	add_number(out, "commands", sum);
	for (uint16_t type = 0; type < G_N_ELEMENTS(totals->commands); type++) {
		if (!command_name(type) || totals->commands[type] == 0)
			continue;
		g_string_append(out, "commands_");
		add_number(out, command_name(type), totals->commands[type]);
	}
}

static void add_clone_sources(GString *out, const GPtrArray *sources)
{
	add_number(out, "clone_sources", sources ? sources->len : 0);
	for (guint i = 0; sources && i < sources->len; i++) {
		g_autofree char *prefix = g_strdup_printf("clone_source_%u_", i + 1);

		add_snapshot(out, prefix, g_ptr_array_index(sources, i));
	}
}

/* size, size_v2, size_v2_compressed ... */
static void add_size(GString *out, enum stream_variant variant, uint64_t size)
{
	g_autofree char *key = g_strdup(variant_name(variant) + strlen("stream"));
	g_autofree char *whole = g_strconcat("size", g_strdelimit(key, "-", '_'), NULL);

	add_number(out, whole, size);
}

static void add_totals(GString *out, const struct plan_totals *totals)
{
	add_number(out, "bytes_literal", totals->literal_bytes);
	add_number(out, "bytes_data", totals->data_bytes);
	add_number(out, "bytes_file", totals->file_bytes);
	add_number(out, "bytes_cloned", totals->cloned_bytes);
	add_commands(out, totals);
}

char *info_text(const uint8_t fsid[16], const struct view_pair *pair,
		const struct info_variant variants[STREAM_VARIANTS])
{
	GString *out = g_string_new(NULL);

	add_text(out, "", "type", pair->parent ? "incremental" : "full");
	add_uuid(out, "", "fsid", fsid);
	add_snapshot(out, "snapshot_", pair->snapshot);
	if (pair->parent) {
		add_snapshot(out, "parent_", pair->parent);
		add_clone_sources(out, pair->clone_sources);
	}
	add_number(out, "protocol", (uint64_t)variant_protocol(STREAM_V1));
	for (unsigned variant = 0; variant < STREAM_VARIANTS; variant++)
		if (variants[variant].exists)
			add_size(out, variant, variants[variant].size);
	if (variants[STREAM_V1].exists)
		add_totals(out, &variants[STREAM_V1].totals);
	return g_string_free(out, FALSE);
}
