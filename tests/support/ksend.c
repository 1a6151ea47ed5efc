/*
 * The kernel's own send stream of a snapshot, to standard output:
 *
 *	ksend [-p PARENT] [-c CLONE]... [-v VERSION] [-f FLAGS] SNAPSHOT | cat
 *
 * Unlike `btrfs send -p`, a parent is no clone source unless it is given with
 * -c as well.  The exit status is 1, with errno's name, when the kernel
 * refuses or breaks off; what it wrote before that stays written.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/btrfs.h>
#include <linux/btrfs_tree.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#ifndef BTRFS_SEND_FLAG_VERSION
#define BTRFS_SEND_FLAG_VERSION 0x8
#endif

#define MOST_CLONES 1024

static int open_subvolume(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0) {
		fprintf(stderr, "ksend: %s: %s\n", path, strerror(errno));
		exit(2);
	}
	return fd;
}

static __u64 subvolume_id(const char *path)
{
	struct btrfs_ioctl_ino_lookup_args args = { .objectid = BTRFS_FIRST_FREE_OBJECTID };
	int fd = open_subvolume(path);

	if (ioctl(fd, BTRFS_IOC_INO_LOOKUP, &args) < 0) {
		fprintf(stderr, "ksend: %s: %s\n", path, strerror(errno));
		exit(2);
	}
	close(fd);
	return args.treeid;
}

static int usage(void)
{
	fprintf(stderr, "usage: ksend [-p PARENT] [-c CLONE]... [-v VERSION] [-f FLAGS] SNAPSHOT\n");
	return 2;
}

int main(int argc, char **argv)
{
	static __u64 clones[MOST_CLONES];
	struct btrfs_ioctl_send_args args = {
		.send_fd = STDOUT_FILENO,
		.clone_sources = clones,
		.flags = BTRFS_SEND_FLAG_VERSION,
		.version = 1,
	};
	int option;

	while ((option = getopt(argc, argv, "p:c:v:f:")) != -1) {
		if (option == 'p')
			args.parent_root = subvolume_id(optarg);
		else if (option == 'c' && args.clone_sources_count < MOST_CLONES)
			clones[args.clone_sources_count++] = subvolume_id(optarg);
		else if (option == 'v')
			args.version = (__u32)strtoul(optarg, NULL, 0);
		else if (option == 'f')
			args.flags |= strtoul(optarg, NULL, 0);
		else
			return usage();
	}
	if (optind + 1 != argc)
		return usage();
	if (ioctl(open_subvolume(argv[optind]), BTRFS_IOC_SEND, &args) < 0) {
		fprintf(stderr, "ksend: %s: %s\n", argv[optind], strerror(errno));
		return 1;
	}
	return 0;
}
