# The same with 64 KiB nodes and a larger limit, compressed ones among them.
MKFS_OPTS="-n 65536" MOUNT_OPTS=max_inline=4095,compress=zlib
. "$(dirname "${BASH_SOURCE[0]}")/inline-files.bash"
