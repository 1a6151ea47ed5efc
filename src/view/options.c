#define FUSE_USE_VERSION 312
#include "view/options.h"
#include <errno.h>
#include <fuse_opt.h> /* a reader of command lines; nothing of FUSE itself */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MIB (UINT64_C(1) << 20)

const char options_help[] =
	"usage: sendfs [options] SOURCE MOUNTPOINT\n"
	"\n"
	"SOURCE is a directory with snapshots on a mounted btrfs, or a block device or\n"
	"image file with a btrfs that is not mounted.\n"
	"\n"
	"    -h   --help            this text\n"
	"    -V   --version         versions\n"
	"    -f                     stay in the foreground\n"
	"    -d   -o debug          stay in the foreground, log every request\n"
	"    -s                     serve one request at a time\n"
	"    -o opt,[opt...]        mount options\n"
	"\n"
	"Options of sendfs:\n"
	"    snapshots=PATTERN      where snapshots lie below SOURCE; one '*' is the name\n"
	"                           (default: both '*' and '*/snapshot')\n"
	"    device=PATH            a further device of SOURCE; may be given again\n"
	"    degraded               read without the devices that are missing\n"
	"    cache=SIZE             memory for caches (default: 128M)\n"
	"    readahead=SIZE         bytes read ahead at any time (default: 8M; 0: none)\n"
	"    workers=N              threads that read ahead (default: 4)\n"
	"    plans=DIR|none         where plans that outgrow memory are kept\n"
	"                           (default: /var/cache/sendfs for root, otherwise\n"
	"                           $XDG_CACHE_HOME/sendfs; none: $TMPDIR or /var/tmp)\n"
	"SIZE may end in K, M, G or T.\n"
	"\n"
	"Options of FUSE file systems:\n"
	"    uid=N  gid=N           owner of all files (default: who mounts)\n"
	"    umask=OCTAL            taken from the modes 0444 and 0555 (default: 077)\n"
	"    allow_other            users besides the one who mounts may use the mount\n"
	"    allow_root             root may use the mount, too\n"
	"    default_permissions    the kernel enforces owner and mode\n"
	"    fsname=NAME            first field in the list of mounts (default: SOURCE)\n"
	"    subtype=NAME           type in the list of mounts (default: sendfs)\n"
	"    max_read=N             most bytes of a read request\n"
	"    max_threads=N          most requests served at a time (default: 64)\n"
	"    max_idle_threads=N     most threads kept for later (default: 16)\n"
	"    clone_fd               a descriptor of /dev/fuse for each thread\n"
	"    auto_unmount           unmount when the daemon dies\n"
	"Words of fstab (defaults, noauto, nofail, _netdev, x-... and so on) are accepted.\n"
	"The mount is always read-only.\n";

enum key {
	KEY_HELP,
	KEY_VERSION,
	KEY_FOREGROUND,
	KEY_DEBUG,
	KEY_SINGLE,
	KEY_CLONE_FD,
	KEY_PATTERN,
	KEY_DEVICE,
	KEY_DEGRADED,
	KEY_CACHE,
	KEY_READAHEAD,
	KEY_WORKERS,
	KEY_PLANS,
	KEY_UID,
	KEY_GID,
	KEY_UMASK,
	KEY_FSNAME,
	KEY_SUBTYPE,
	KEY_MAX_READ,
	KEY_MAX_THREADS,
	KEY_MAX_IDLE,
	KEY_LIBRARY,
	KEY_IGNORED,
};

#define LIBRARY(word) FUSE_OPT_KEY(word, KEY_LIBRARY)
#define IGNORED(word) FUSE_OPT_KEY(word, KEY_IGNORED)

static const struct fuse_opt known[] = {
	FUSE_OPT_KEY("-h", KEY_HELP),
	FUSE_OPT_KEY("--help", KEY_HELP),
	FUSE_OPT_KEY("-V", KEY_VERSION),
	FUSE_OPT_KEY("--version", KEY_VERSION),
	FUSE_OPT_KEY("-f", KEY_FOREGROUND),
	FUSE_OPT_KEY("-d", KEY_DEBUG),
	FUSE_OPT_KEY("debug", KEY_DEBUG),
	FUSE_OPT_KEY("-s", KEY_SINGLE),
	FUSE_OPT_KEY("clone_fd", KEY_CLONE_FD),
	FUSE_OPT_KEY("snapshots=", KEY_PATTERN),
	FUSE_OPT_KEY("device=", KEY_DEVICE),
	FUSE_OPT_KEY("degraded", KEY_DEGRADED),
	FUSE_OPT_KEY("cache=", KEY_CACHE),
	FUSE_OPT_KEY("readahead=", KEY_READAHEAD),
	FUSE_OPT_KEY("workers=", KEY_WORKERS),
	FUSE_OPT_KEY("plans=", KEY_PLANS),
	FUSE_OPT_KEY("uid=", KEY_UID),
	FUSE_OPT_KEY("gid=", KEY_GID),
	FUSE_OPT_KEY("umask=", KEY_UMASK),
	FUSE_OPT_KEY("fsname=", KEY_FSNAME),
	FUSE_OPT_KEY("subtype=", KEY_SUBTYPE),
	FUSE_OPT_KEY("max_read=", KEY_MAX_READ),
	FUSE_OPT_KEY("max_threads=", KEY_MAX_THREADS),
	FUSE_OPT_KEY("max_idle_threads=", KEY_MAX_IDLE),
	LIBRARY("allow_other"),
	LIBRARY("allow_root"),
	LIBRARY("auto_unmount"),
	LIBRARY("default_permissions"),
	LIBRARY("context="),
	LIBRARY("fscontext="),
	LIBRARY("defcontext="),
	LIBRARY("rootcontext="),
	LIBRARY("nosuid"),
	LIBRARY("nodev"),
	LIBRARY("noexec"),
	LIBRARY("noatime"),
	LIBRARY("nodiratime"),
	LIBRARY("sync"),
	LIBRARY("dirsync"),
	/* What would allow more than the view needs, what is for mount(8) and
	 * init alone, and ro, which is always given. */
	IGNORED("ro"),
	IGNORED("rw"),
	IGNORED("suid"),
	IGNORED("dev"),
	IGNORED("exec"),
	IGNORED("async"),
	IGNORED("atime"),
	IGNORED("diratime"),
	IGNORED("relatime"),
	IGNORED("norelatime"),
	IGNORED("strictatime"),
	IGNORED("nostrictatime"),
	IGNORED("lazytime"),
	IGNORED("nolazytime"),
	IGNORED("silent"),
	IGNORED("loud"),
	IGNORED("defaults"),
	IGNORED("auto"),
	IGNORED("noauto"),
	IGNORED("user"),
	IGNORED("user="),
	IGNORED("nouser"),
	IGNORED("users"),
	IGNORED("nousers"),
	IGNORED("owner"),
	IGNORED("noowner"),
	IGNORED("group"),
	IGNORED("nogroup"),
	IGNORED("nofail"),
	IGNORED("_netdev"),
	IGNORED("comment="),
	FUSE_OPT_END,
};

struct parse {
	Options *options;
	GError **error;
	bool subtype_given;
};

static GQuark options_error(void)
{
	return g_quark_from_static_string("sendfs-options");
}

bool options_size(const char *text, uint64_t *ret)
{
	static const char units[] = "KMGT";
	const char *unit;
	char *end;
	uint64_t size;
	unsigned shift = 0;

	if (!g_ascii_isdigit(text[0]))
		return false;
	errno = 0;
	size = g_ascii_strtoull(text, &end, 10);
	if (errno != 0)
		return false;
	if (*end) {
		unit = strchr(units, g_ascii_toupper(*end));
		if (!unit || end[1])
			return false;
		shift = 10 * (unsigned)(unit - units + 1);
	}
	if (size > UINT64_MAX >> shift)
		return false;
	*ret = size << shift;
	return true;
}

/* --- one option --- */

static int refuse(struct parse *parse, const char *option, const char *wanted)
{
	const char *value = strchr(option, '=') + 1;
	const int name_len = (int)(value - option) - 1;

	g_set_error(parse->error, options_error(), EXIT_OPTIONS,
		    "bad value '%s' for option '%.*s': %s is wanted", value, name_len, option,
		    wanted);
	return -1;
}

static const char *value_of(const char *option)
{
	return strchr(option, '=') + 1;
}

static bool number_of(const char *option, int base, uint64_t most, uint64_t *ret)
{
	const char *value = value_of(option);

	return g_ascii_string_to_unsigned(value, (guint)base, 0, most, ret, NULL);
}

static int take_text(struct parse *parse, const char *option, char **ret)
{
	if (!value_of(option)[0])
		return refuse(parse, option, "something");
	g_free(*ret);
	*ret = g_strdup(value_of(option));
	return 0;
}

static int take_size(struct parse *parse, const char *option, uint64_t least, uint64_t *ret)
{
	uint64_t size;

	if (!options_size(value_of(option), &size) || size > SSIZE_MAX)
		return refuse(parse, option, "a size such as 64M");
	if (size < least)
		return refuse(parse, option, "at least 1M");
	*ret = size;
	return 0;
}

static int take_count(struct parse *parse, const char *option, unsigned most, unsigned *ret)
{
	g_autofree char *wanted = g_strdup_printf("a number up to %u", most);
	uint64_t number;

	if (!number_of(option, 10, most, &number))
		return refuse(parse, option, wanted);
	*ret = (unsigned)number;
	return 0;
}

static int take_id(struct parse *parse, const char *option, uint32_t *ret)
{
	uint64_t number;

	if (!number_of(option, 10, UINT32_MAX - 1, &number))
		return refuse(parse, option, "a number");
	*ret = (uint32_t)number;
	return 0;
}

static int take_umask(struct parse *parse, const char *option)
{
	uint64_t number;

	if (!number_of(option, 8, 0777, &number))
		return refuse(parse, option, "an octal number up to 777");
	parse->options->umask = (mode_t)number;
	return 0;
}

static int take_pattern(struct parse *parse, const char *option)
{
	const char *star = strchr(value_of(option), '*');

	if (!star || strchr(star + 1, '*'))
		return refuse(parse, option, "a path with one '*'");
	return take_text(parse, option, &parse->options->pattern);
}

static int take_device(struct parse *parse, const char *option)
{
	char *path = NULL;

	if (take_text(parse, option, &path) < 0)
		return -1;
	g_ptr_array_add(parse->options->devices, path);
	return 0;
}

/* For libfuse, whose own reader takes '\' before ',' and '\'. */
static void pass_on(Options *options, const char *option)
{
	GString *arg = g_string_new("-o");

	for (const char *c = option; *c; c++) {
		if (*c == ',' || *c == '\\')
			g_string_append_c(arg, '\\');
		g_string_append_c(arg, *c);
	}
	g_ptr_array_add(options->library_args, g_string_free(arg, FALSE));
}

static int take_option(struct parse *parse, const char *option, enum key key)
{
	Options *options = parse->options;

	switch (key) {
	case KEY_HELP:
		options->help = true;
		return 0;
	case KEY_VERSION:
		options->version = true;
		return 0;
	case KEY_FOREGROUND:
		options->foreground = true;
		return 0;
	case KEY_DEBUG:
		options->foreground = options->debug = true;
		return 0;
	case KEY_SINGLE:
		options->single_thread = true;
		return 0;
	case KEY_CLONE_FD:
		options->clone_fd = true;
		return 0;
	case KEY_PATTERN:
		return take_pattern(parse, option);
	case KEY_DEVICE:
		return take_device(parse, option);
	case KEY_DEGRADED:
		options->degraded = true;
		return 0;
	case KEY_CACHE:
		return take_size(parse, option, MIB, &options->cache_bytes);
	case KEY_READAHEAD:
		return take_size(parse, option, 0, &options->readahead_bytes);
	case KEY_WORKERS:
		return take_count(parse, option, 256, &options->n_workers);
	case KEY_PLANS:
		return take_text(parse, option, &options->plans);
	case KEY_UID:
		return take_id(parse, option, &options->uid);
	case KEY_GID:
		return take_id(parse, option, &options->gid);
	case KEY_UMASK:
		return take_umask(parse, option);
	case KEY_FSNAME:
		return take_text(parse, option, &options->fsname);
	case KEY_SUBTYPE:
		parse->subtype_given = true;
		break;
	case KEY_MAX_READ:
		if (take_count(parse, option, 1u << 30, &options->max_read) < 0)
			return -1;
		break;
	case KEY_MAX_THREADS:
		return take_count(parse, option, 4096, &options->max_threads);
	case KEY_MAX_IDLE:
		return take_count(parse, option, 4096, &options->max_idle_threads);
	case KEY_LIBRARY:
		break;
	case KEY_IGNORED:
		return 0;
	}
	pass_on(options, option);
	return 0;
}

static int take_name(struct parse *parse, const char *name)
{
	Options *options = parse->options;

	if (!options->source) {
		options->source = g_strdup(name);
	} else if (!options->mountpoint) {
		options->mountpoint = g_strdup(name);
	} else {
		g_set_error(parse->error, options_error(), EXIT_OPTIONS,
			    "one argument too many: '%s'", name);
		return -1;
	}
	return 0;
}

static int take(void *user, const char *arg, int key, struct fuse_args *out)
{
	struct parse *parse = user;

	(void)out;
	if (*parse->error)
		return -1;
	if (key == FUSE_OPT_KEY_NONOPT)
		return take_name(parse, arg);
	if (key != FUSE_OPT_KEY_OPT)
		return take_option(parse, arg, (enum key)key);
	if (g_str_has_prefix(arg, "x-") || g_str_has_prefix(arg, "X-"))
		return 0; /* for others who read fstab */
	g_set_error(parse->error, options_error(), EXIT_OPTIONS, "unknown option '%s'", arg);
	return -1;
}

/* --- all of them --- */

static Options *options_new(void)
{
	Options *options = g_new0(Options, 1);

	options->devices = g_ptr_array_new_with_free_func(g_free);
	options->library_args = g_ptr_array_new_with_free_func(g_free);
	options->cache_bytes = 128 * MIB;
	options->readahead_bytes = 8 * MIB;
	options->n_workers = 4;
	options->uid = getuid();
	options->gid = getgid();
	options->umask = 077;
	options->max_threads = 64;
	options->max_idle_threads = 16;
	return options;
}

void options_free(Options *options)
{
	if (!options)
		return;
	g_free(options->source);
	g_free(options->mountpoint);
	g_free(options->pattern);
	g_ptr_array_unref(options->devices);
	g_free(options->plans);
	g_free(options->fsname);
	g_ptr_array_unref(options->library_args);
	g_free(options);
}

/* Whether both names are there, once all has been read. */
static bool complete(const Options *options, GError **error)
{
	if (!options->source) {
		g_set_error(error, options_error(), EXIT_OPTIONS,
			    "SOURCE and MOUNTPOINT are missing (see sendfs --help)");
		return false;
	}
	if (!options->mountpoint) {
		g_set_error(error, options_error(), EXIT_NO_MOUNTPOINT,
			    "MOUNTPOINT is missing (see sendfs --help)");
		return false;
	}
	if (options->max_threads == 0) {
		g_set_error(error, options_error(), EXIT_OPTIONS,
			    "bad value '0' for option 'max_threads': at least 1 is wanted");
		return false;
	}
	return true;
}

static void finish(struct parse *parse)
{
	Options *options = parse->options;
	g_autofree char *fsname = g_strdup_printf(
		"fsname=%s", options->fsname ? options->fsname : options->source);

	pass_on(options, "ro");
	pass_on(options, fsname);
	if (!parse->subtype_given)
		pass_on(options, "subtype=sendfs");
	if (options->debug)
		g_ptr_array_add(options->library_args, g_strdup("-d"));
	g_ptr_array_add(options->library_args, NULL);
}

Options *options_parse(int argc, char **argv, GError **error)
{
	struct fuse_args args = FUSE_ARGS_INIT(argc, argv);
	g_autoptr(Options) options = options_new();
	g_autoptr(GError) own_error = NULL;
	struct parse parse = { .options = options, .error = &own_error };
	int r;

	if (argc > 1 && strcmp(argv[argc - 1], "-o") == 0) {
		g_set_error(error, options_error(), EXIT_OPTIONS, "option '-o' needs a value");
		return NULL;
	}
	r = fuse_opt_parse(&args, &parse, known, take);
	fuse_opt_free_args(&args);
	if (r < 0 && !own_error)
		g_set_error(&own_error, options_error(), EXIT_OPTIONS, "bad options");
	if (own_error) {
		g_propagate_error(error, g_steal_pointer(&own_error));
		return NULL;
	}
	if (options->help || options->version)
		return g_steal_pointer(&options);
	if (!complete(options, error))
		return NULL;
	finish(&parse);
	return g_steal_pointer(&options);
}

/* --- plans=DIR --- */

static bool usable(const char *directory)
{
	return g_mkdir_with_parents(directory, 0700) == 0 && access(directory, W_OK | X_OK) == 0;
}

char *options_plans_dir(const Options *options, GError **error)
{
	const char *temporary = g_getenv("TMPDIR");
	g_autofree char *directory = NULL;

	if (!temporary)
		temporary = "/var/tmp"; /* not /tmp, which often is memory */
	if (options->plans && strcmp(options->plans, "none") == 0)
		return g_strdup(temporary);
	if (options->plans)
		directory = g_canonicalize_filename(options->plans, NULL);
	else if (geteuid() == 0)
		directory = g_strdup("/var/cache/sendfs");
	else
		directory = g_build_filename(g_get_user_cache_dir(), "sendfs", NULL);
	if (usable(directory))
		return g_steal_pointer(&directory);
	if (!options->plans)
		return g_strdup(temporary);
	g_set_error(error, options_error(), EXIT_OPTIONS, "option 'plans': %s: %s", directory,
		    g_strerror(errno));
	return NULL;
}
