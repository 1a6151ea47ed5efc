#include "support/subvolume.h"
#include "support/items.h"
#include <sys/stat.h>

#define EXAMPLE_GENERATION 7u

struct making {
	ItemSet *items;
	GHashTable *dirs;  /* path (char *) to inode number (uint64_t) */
	GHashTable *sizes; /* directory to the size that its entries give */
	gchar **lines;
};

struct line {
	uint64_t ino, generation;
	unsigned n_names; /* so far */
	bool is_subvol, has_size, has_links;
	struct inode_item inode;
	gchar **words; /* what follows the first three */
	gchar **all;
};

static uint64_t number(const char **at)
{
	gchar *end;
	uint64_t value = g_ascii_strtoull(*at, &end, 0);

	g_assert_true(end != *at);
	if (*end == 'k' || *end == 'm')
		value <<= *end++ == 'k' ? 10 : 20;
	*at = end;
	return value;
}

static uint64_t whole_number(const char *text)
{
	const uint64_t value = number(&text);

	g_assert_cmpint(*text, ==, 0);
	return value;
}

static bool take(const char **at, char c)
{
	if (**at != c)
		return false;
	++*at;
	return true;
}

static uint64_t *count_of(GHashTable *table, uint64_t ino, uint64_t first)
{
	uint64_t *count = g_hash_table_lookup(table, &ino);

	if (!count) {
		count = g_memdup2(&first, sizeof(first));
		g_hash_table_insert(table, g_memdup2(&ino, sizeof(ino)), count);
	}
	return count;
}

/* At the end of the item if there is one with this key. */
static void append_item(ItemSet *items, struct key key, GByteArray *data)
{
	for (size_t i = 0; i < item_set_count(items); i++) {
		const struct block_item item = item_set_at(items, i);

		if (key_compare(&item.key, &key) == 0) {
			g_byte_array_prepend(data, item.data.data, (guint)item.data.len);
			break;
		}
	}
	item_set_put(items, key, data);
}

/* ---- names ---- */

static uint64_t parent_of(const struct making *making, const char *path)
{
	const char *slash = strrchr(path, '/');
	g_autofree char *parent = slash ? g_strndup(path, (gsize)(slash - path)) : g_strdup("");
	const uint64_t *ino = g_hash_table_lookup(making->dirs, parent);

	if (!ino)
		g_error("no directory for %s", path);
	return *ino;
}

static uint32_t extref_hash(uint64_t dir, struct span name)
{
	uint32_t crc = (uint32_t)dir;

	for (size_t i = 0; i < name.len; i++) {
		crc ^= name.data[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78 : 0);
	}
	return crc;
}

static uint8_t entry_type(uint32_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFDIR:
		return BTRFS_FT_DIR;
	case S_IFLNK:
		return BTRFS_FT_SYMLINK;
	default:
		return BTRFS_FT_REG_FILE;
	}
}

/* Where the path ends: before "@INDEX", if there is that. */
static gsize path_len(const char *word)
{
	const char *at = strchr(word, '@');

	return at ? (gsize)(at - word) : strlen(word);
}

static void make_name(struct making *making, struct line *line, const char *word)
{
	const bool extended = take(&word, '+');
	g_autofree char *path = g_strndup(word, path_len(word));
	const uint64_t dir = parent_of(making, path);
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const uint64_t index = word[path_len(word)] ? whole_number(word + path_len(word) + 1) :
						      line->ino * 16 + line->n_names++;
	const struct dir_entry entry = {
		.location = KEY(line->ino,
				line->is_subvol ? BTRFS_ROOT_ITEM_KEY : BTRFS_INODE_ITEM_KEY, 0),
		.transid = 1,
		.name = span_str(name),
		.type = line->is_subvol ? BTRFS_FT_DIR : entry_type(line->inode.mode),
	};
	GByteArray *ref = g_byte_array_new();
	GByteArray *by_name = g_byte_array_new(), *by_index = g_byte_array_new();

	*count_of(making->sizes, dir, 0) += 2 * strlen(name);
	put_dir_entry(by_name, &entry);
	put_dir_entry(by_index, &entry);
	append_item(making->items, KEY(dir, BTRFS_DIR_ITEM_KEY, name_hash(entry.name)), by_name);
	append_item(making->items, KEY(dir, BTRFS_DIR_INDEX_KEY, index), by_index);
	if (line->is_subvol) {
		g_byte_array_unref(ref);
		return;
	}
	if (extended) {
		put_inode_extref(ref, dir, index, name);
		append_item(making->items,
			    KEY(line->ino, BTRFS_INODE_EXTREF_KEY, extref_hash(dir, entry.name)),
			    ref);
		return;
	}
	put_inode_ref(ref, index, name);
	append_item(making->items, KEY(line->ino, BTRFS_INODE_REF_KEY, dir), ref);
}

/* ---- contents ---- */

static void make_extent(struct making *making, struct line *line, uint64_t offset,
			const struct file_extent *extent)
{
	GByteArray *bytes = g_byte_array_new();
	const uint64_t end = offset + (extent->type == BTRFS_FILE_EXTENT_INLINE ?
					       extent->ram_bytes :
					       extent->num_bytes);

	put_file_extent(bytes, extent);
	item_set_put(making->items, KEY(line->ino, BTRFS_EXTENT_DATA_KEY, offset), bytes);
	if (!line->has_size && extent->type != BTRFS_FILE_EXTENT_PREALLOC)
		line->inode.size = MAX(line->inode.size, end);
}

static void make_data(struct making *making, struct line *line, const char *at, uint8_t type,
		      bool compressed)
{
	const uint64_t offset = number(&at);
	struct file_extent extent = { .generation = EXAMPLE_GENERATION, .type = type };

	g_assert_true(take(&at, '+'));
	extent.num_bytes = number(&at);
	if (take(&at, '@'))
		extent.disk_bytenr = number(&at);
	if (take(&at, '+'))
		extent.offset = number(&at);
	if (take(&at, '/'))
		extent.generation = number(&at);
	g_assert_cmpint(*at, ==, 0);
	extent.ram_bytes = extent.offset + extent.num_bytes;
	extent.disk_num_bytes = extent.disk_bytenr ? extent.ram_bytes : 0;
	if (compressed) {
		extent.compression = 1;
		extent.disk_num_bytes = 4096;
	}
	make_extent(making, line, offset, &extent);
}

static void make_xattr(struct making *making, const struct line *line, const char *text)
{
	const char *colon = strchr(text, ':');
	g_autofree char *name = g_strndup(text, (gsize)(colon - text));
	GByteArray *bytes = g_byte_array_new();

	put_xattr(bytes, name, span_str(colon + 1));
	append_item(making->items,
		    KEY(line->ino, BTRFS_XATTR_ITEM_KEY, name_hash(span_str(name))), bytes);
}

static bool set_attribute(struct line *line, const char *option, const char *value)
{
	struct inode_item *inode = &line->inode;

	if (!strcmp(option, "size")) {
		line->has_size = true;
		inode->size = whole_number(value);
	} else if (!strcmp(option, "mode")) {
		inode->mode = (inode->mode & S_IFMT) |
			      (uint32_t)g_ascii_strtoull(value, NULL, 8);
	} else if (!strcmp(option, "uid")) {
		inode->uid = (uint32_t)whole_number(value);
	} else if (!strcmp(option, "gid")) {
		inode->gid = (uint32_t)whole_number(value);
	} else if (!strcmp(option, "links")) {
		line->has_links = true;
		inode->nlink = (uint32_t)whole_number(value);
	} else if (!strcmp(option, "flags")) {
		inode->flags = whole_number(value);
	} else if (!strcmp(option, "rdev")) {
		inode->rdev = whole_number(value);
	} else {
		return false;
	}
	return true;
}

static void apply_option(struct making *making, struct line *line, const char *option,
			 const char *value)
{
	if (set_attribute(line, option, value))
		return;
	if (!strcmp(option, "to") || !strcmp(option, "inline")) {
		const struct file_extent extent = example_inline(span_str(value));

		make_extent(making, line, 0, &extent);
	} else if (!strcmp(option, "data") || !strcmp(option, "hole")) {
		make_data(making, line, value, BTRFS_FILE_EXTENT_REG, false);
	} else if (!strcmp(option, "zdata")) {
		make_data(making, line, value, BTRFS_FILE_EXTENT_REG, true);
	} else if (!strcmp(option, "prealloc")) {
		make_data(making, line, value, BTRFS_FILE_EXTENT_PREALLOC, false);
	} else if (!strcmp(option, "xattr")) {
		make_xattr(making, line, value);
	} else {
		g_error("unknown option %s", option);
	}
}

/* ---- lines ---- */

static uint32_t mode_of(const char *type)
{
	static const struct {
		const char *type;
		uint32_t mode;
	} modes[] = {
		{ "dir", S_IFDIR | 0755 },  { "file", S_IFREG | 0644 },
		{ "link", S_IFLNK | 0777 }, { "fifo", S_IFIFO | 0644 },
		{ "sock", S_IFSOCK | 0644 }, { "chr", S_IFCHR | 0644 },
		{ "blk", S_IFBLK | 0644 },  { "odd", 0644 },
		{ "subvol", S_IFDIR | 0755 },
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(modes); i++)
		if (!strcmp(type, modes[i].type))
			return modes[i].mode;
	g_error("unknown type %s", type);
}

static bool is_name(const char *word)
{
	return !strchr(word, '=') && strcmp(word, "!") != 0;
}

static struct line line_of(const char *text)
{
	struct line line = { .all = g_strsplit(text, " ", -1) };

	g_assert_cmpuint(g_strv_length(line.all), >=, 3);
	line.words = line.all + 3;
	line.ino = whole_number(line.all[0]);
	line.generation = whole_number(line.all[2]);
	line.is_subvol = !strcmp(line.all[1], "subvol");
	line.inode = example_file(0);
	line.inode.nlink = 0;
	line.inode.mode = mode_of(line.all[1]);
	line.inode.generation = line.inode.transid = line.generation;
	return line;
}

static void note_directory(struct making *making, const char *text)
{
	struct line line = line_of(text);

	for (gchar **word = line.words; S_ISDIR(line.inode.mode) && *word; word++)
		if (is_name(*word))
			g_hash_table_insert(making->dirs, g_strndup(*word, path_len(*word)),
					    g_memdup2(&line.ino, sizeof(line.ino)));
	g_strfreev(line.all);
}

static void touch(struct inode_item *inode)
{
	inode->transid++;
	inode->ctime.seconds++;
	inode->mtime.seconds++;
}

static void put_inode(struct making *making, const struct line *line)
{
	GByteArray *bytes = g_byte_array_new();

	put_inode_item(bytes, &line->inode);
	item_set_put(making->items, KEY(line->ino, BTRFS_INODE_ITEM_KEY, 0), bytes);
	if (line->inode.nlink == 0)
		item_set_put(making->items,
			     KEY(BTRFS_ORPHAN_OBJECTID, BTRFS_ORPHAN_ITEM_KEY, line->ino),
			     g_byte_array_new());
}

static void make_inode(struct making *making, const char *text)
{
	struct line line = line_of(text);
	uint32_t links = S_ISDIR(line.inode.mode) ? 1 : 0;

	for (gchar **word = line.words; *word; word++) {
		char *equals = strchr(*word, '=');

		if (!strcmp(*word, "!")) {
			touch(&line.inode);
		} else if (!equals) {
			make_name(making, &line, *word);
			links += !S_ISDIR(line.inode.mode);
		} else {
			g_autofree char *option = g_strndup(*word, (gsize)(equals - *word));

			apply_option(making, &line, option, equals + 1);
		}
	}
	if (!line.has_links)
		line.inode.nlink = links;
	if (!line.is_subvol)
		put_inode(making, &line);
	g_strfreev(line.all);
}

static void make_root(struct making *making)
{
	const uint64_t root = BTRFS_FIRST_FREE_OBJECTID;
	GByteArray *ref = g_byte_array_new();

	g_hash_table_insert(making->dirs, g_strdup(""), g_memdup2(&root, sizeof(root)));
	put_inode_ref(ref, 0, "..");
	item_set_put(making->items, KEY(root, BTRFS_INODE_REF_KEY, root), ref);
}

static GHashTable *counts_new(void)
{
	return g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
}

/* A directory's size is known when all that is in it has its name. */
static void set_directory_sizes(struct making *making)
{
	for (size_t i = 0; i < item_set_count(making->items); i++) {
		const struct block_item item = item_set_at(making->items, i);
		const uint64_t *size = g_hash_table_lookup(making->sizes, &item.key.objectid);
		struct inode_item inode;
		GByteArray *bytes;

		if (item.key.type != BTRFS_INODE_ITEM_KEY || !size)
			continue;
		g_assert_cmpint(inode_item_parse(item.data, &inode), ==, 0);
		inode.size = *size;
		bytes = g_byte_array_new();
		put_inode_item(bytes, &inode);
		item_set_put(making->items, item.key, bytes);
	}
}

static void make_all(struct making *making, bool has_root)
{
	for (gchar **line = making->lines; *line; line++)
		if (**line)
			note_directory(making, *line);
	for (gchar **line = making->lines; *line; line++)
		if (**line)
			make_inode(making, *line);
	if (!has_root)
		make_inode(making, "256 dir 1");
	set_directory_sizes(making);
}

ItemSet *subvolume_items(const char *text)
{
	struct making making = {
		.items = item_set_new(),
		.dirs = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free),
		.sizes = counts_new(),
		.lines = g_strsplit(text, "\n", -1),
	};

	make_root(&making);
	make_all(&making, g_str_has_prefix(text, "256 dir ") || strstr(text, "\n256 dir "));
	g_hash_table_unref(making.dirs);
	g_hash_table_unref(making.sizes);
	g_strfreev(making.lines);
	return making.items;
}
