# As compressed-zlib; compressed where it pays.
. "$(dirname "${BASH_SOURCE[0]}")/compressed-zlib.bash"
MKFS_OPTS="-n 4096 -O ^no-holes" MOUNT_OPTS=compress=lzo
