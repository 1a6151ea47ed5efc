#include "btrfs/ondisk/super.h"
#include "btrfs/codec/checksum.h"

#define MAGIC UINT64_C(0x4d5f53665248425f) /* "_BHRfS_M" */
#define CSUM_FIELD_LEN 32u
#define MAGIC_AT 64u
#define CSUM_TYPE_AT 196u
#define CSUM_AT 0u
#define SYS_CHUNKS_AT 0x32bu
#define SECTOR_SIZE 4096u
#define NODE_SIZE_MOST 65536u
#define LEVELS 8u
/* One key and one chunk item with one stripe. */
#define SYS_CHUNKS_LEAST (sizeof(struct btrfs_disk_key) + sizeof(struct btrfs_chunk))

#define INCOMPAT_METADATA_UUID (UINT64_C(1) << 10)
#define FLAG_SEEDING (UINT64_C(1) << 32)

/* Bits of the field flags that say nothing against reading: written, reloc,
 * error, seeding, and the two kinds of metadata dump. */
#define FLAGS_HARMLESS \
	(UINT64_C(7) | FLAG_SEEDING | UINT64_C(1) << 33 | UINT64_C(1) << 34)

struct feature {
	const char *name;
	bool supported;
};

/* By bit, as the kernel's sysfs and btrfs-progs name them. */
static const struct feature incompat_features[] = {
	{ "mixed-backref", true },
	{ "default-subvol", true },
	{ "mixed-groups", true },
	{ "compress-lzo", true },
	{ "compress-zstd", true },
	{ "big-metadata", true },
	{ "extended-iref", true },
	{ "raid56", true },
	{ "skinny-metadata", true },
	{ "no-holes", true },
	{ "metadata-uuid", true },
	{ "raid1c34", true },
	{ "zoned", false },
	{ "extent-tree-v2", false },
	{ "raid-stripe-tree", false },
	{ "encryption", false },
	/* Adds who owns an extent to the extent tree, no more. */
	{ "simple-quota", true },
	{ "remap-tree", false },
};

G_DEFINE_QUARK(super-error-quark, super_error)

uint64_t super_offset(unsigned copy)
{
	return copy == 0 ? UINT64_C(65536) : UINT64_C(16384) << (12 * copy);
}

/* The fields that are looked at but not kept. */
struct raw_fields {
	uint64_t flags;
	uint32_t leaf_size;
	uint8_t metadata_uuid[16];
	uint8_t dev_fsid[16];
};

static int fail(GError **error, int err, const char *format, ...) G_GNUC_PRINTF(3, 4);
static int fail(GError **error, int err, const char *format, ...)
{
	g_autofree char *text = NULL;
	va_list args;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	g_set_error_literal(error, SUPER_ERROR, -err, text);
	return err;
}

static void read_dev_item(struct cursor *c, struct super *super, struct raw_fields *raw)
{
	super->devid = cursor_le64(c);
	cursor_skip(c, offsetof(struct btrfs_dev_item, uuid) - 8);
	cursor_copy(c, super->dev_uuid, sizeof(super->dev_uuid));
	cursor_copy(c, raw->dev_fsid, sizeof(raw->dev_fsid));
}

static void read_fields(struct cursor *c, struct super *super, struct raw_fields *raw)
{
	cursor_skip(c, CSUM_FIELD_LEN);
	cursor_copy(c, super->fsid, sizeof(super->fsid));
	super->bytenr = cursor_le64(c);
	raw->flags = cursor_le64(c);
	super->seeding = raw->flags & FLAG_SEEDING;
	cursor_skip(c, 8); /* magic */
	super->generation = cursor_le64(c);
	super->root.logical = cursor_le64(c);
	super->root.generation = super->generation;
	super->chunk_root.logical = cursor_le64(c);
	super->log_root.logical = cursor_le64(c);
	cursor_skip(c, 8); /* log root transid, never used */
	super->total_bytes = cursor_le64(c);
	super->bytes_used = cursor_le64(c);
	cursor_skip(c, 8); /* root directory */
	super->num_devices = cursor_le64(c);
	super->sector_size = cursor_le32(c);
	super->node_size = cursor_le32(c);
	raw->leaf_size = cursor_le32(c);
	cursor_skip(c, 4); /* stripe size */
	super->sys_chunks_len = cursor_le32(c);
	super->chunk_root.generation = cursor_le64(c);
	super->compat_flags = cursor_le64(c);
	super->compat_ro_flags = cursor_le64(c);
	super->incompat_flags = cursor_le64(c);
	super->csum_type = cursor_le16(c);
	super->root.level = cursor_u8(c);
	super->chunk_root.level = cursor_u8(c);
	super->log_root.level = cursor_u8(c);
	read_dev_item(c, super, raw);
	cursor_copy(c, super->label, SUPER_LABEL_LEN);
	cursor_skip(c, 8 + 8); /* cache and UUID tree generations */
	cursor_copy(c, raw->metadata_uuid, sizeof(raw->metadata_uuid));
}

static int check_identity(struct span bytes, GError **error)
{
	uint8_t csum[CHECKSUM_MAX_LEN];
	uint16_t csum_type;

	if (bytes.len < SUPER_LEN || load_le64(bytes.data + MAGIC_AT) != MAGIC)
		return fail(error, -ENOENT, "no btrfs superblock");
	csum_type = load_le16(bytes.data + CSUM_TYPE_AT);
	if (checksum_len(csum_type) == 0)
		return fail(error, -EOPNOTSUPP, "checksum type %u is not supported", csum_type);
	checksum_compute(csum_type, bytes.data + CSUM_FIELD_LEN, SUPER_LEN - CSUM_FIELD_LEN, csum);
	if (memcmp(csum, bytes.data + CSUM_AT, checksum_len(csum_type)) != 0)
		return fail(error, -EBADMSG, "the superblock does not match its checksum");
	return 0;
}

static int check_features(const struct super *super, const struct raw_fields *raw, GError **error)
{
	g_autoptr(GString) names = g_string_new(NULL);
	uint64_t unknown = super->incompat_flags >> G_N_ELEMENTS(incompat_features)
						 << G_N_ELEMENTS(incompat_features);

	for (unsigned bit = 0; bit < G_N_ELEMENTS(incompat_features); bit++)
		if (super->incompat_flags >> bit & 1 && !incompat_features[bit].supported)
			g_string_append_printf(names, "%s%s", names->len ? ", " : "",
					       incompat_features[bit].name);
	if (unknown)
		g_string_append_printf(names, "%s%#" G_GINT64_MODIFIER "x",
				       names->len ? ", " : "", unknown);
	if (names->len)
		return fail(error, -EOPNOTSUPP, "unsupported features: %s", names->str);
	if (raw->flags & ~FLAGS_HARMLESS)
		return fail(error, -EOPNOTSUPP,
			    "unsupported state, such as an unfinished conversion: flags %#"
			    G_GINT64_MODIFIER "x", raw->flags & ~FLAGS_HARMLESS);
	return 0;
}

static int check_sizes(const struct super *super, const struct raw_fields *raw, GError **error)
{
	const uint32_t node_size = super->node_size;

	if (super->sector_size != SECTOR_SIZE)
		return fail(error, -EOPNOTSUPP, "sector size %u is not supported",
			    super->sector_size);
	if (node_size < SECTOR_SIZE || node_size > NODE_SIZE_MOST || node_size & (node_size - 1))
		return fail(error, -EUCLEAN, "impossible node size %u", node_size);
	if (raw->leaf_size != node_size)
		return fail(error, -EUCLEAN, "leaf size %u differs from node size %u",
			    raw->leaf_size, node_size);
	if (super->sys_chunks_len < SYS_CHUNKS_LEAST ||
	    super->sys_chunks_len > SUPER_SYS_CHUNKS_MOST)
		return fail(error, -EUCLEAN, "impossible length %u of the system chunk array",
			    super->sys_chunks_len);
	return 0;
}

static int check_root(const char *name, const struct super_root *root, GError **error)
{
	if (root->level >= LEVELS)
		return fail(error, -EUCLEAN, "impossible level %u of the %s tree", root->level,
			    name);
	if (root->logical % SECTOR_SIZE)
		return fail(error, -EUCLEAN, "the %s tree's address %" G_GUINT64_FORMAT
			    " is not aligned", name, root->logical);
	return 0;
}

static int check_places(const struct super *super, const struct raw_fields *raw,
			uint64_t expected_offset, GError **error)
{
	int r;

	if (super->bytenr != expected_offset)
		return fail(error, -EUCLEAN, "the superblock says it lies at %" G_GUINT64_FORMAT
			    " but it was read at %" G_GUINT64_FORMAT, super->bytenr,
			    expected_offset);
	if (super->num_devices == 0)
		return fail(error, -EUCLEAN, "the superblock knows of no devices");
	if (memcmp(raw->dev_fsid, super->metadata_uuid, sizeof(raw->dev_fsid)) != 0)
		return fail(error, -EUCLEAN, "the device belongs to another file system");
	r = check_root("root", &super->root, error);
	return r ? r : check_root("chunk", &super->chunk_root, error);
}

int super_parse(struct span bytes, uint64_t expected_offset, struct super *ret, GError **error)
{
	struct super super = { 0 };
	struct raw_fields raw = { 0 };
	struct cursor c = cursor_of(bytes);
	int r;

	r = check_identity(bytes, error);
	if (r)
		return r;
	read_fields(&c, &super, &raw);
	memcpy(super.metadata_uuid,
	       super.incompat_flags & INCOMPAT_METADATA_UUID ? raw.metadata_uuid : super.fsid,
	       sizeof(super.metadata_uuid));
	r = check_features(&super, &raw, error);
	if (!r)
		r = check_sizes(&super, &raw, error);
	if (!r)
		r = check_places(&super, &raw, expected_offset, error);
	if (r)
		return r;
	memcpy(super.sys_chunks, bytes.data + SYS_CHUNKS_AT, super.sys_chunks_len);
	*ret = super;
	return 0;
}
