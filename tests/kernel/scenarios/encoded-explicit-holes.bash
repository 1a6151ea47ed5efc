# As encoded-zlib, where holes are items of their own, with small nodes.
. "$(dirname "${BASH_SOURCE[0]}")/encoded-zlib.bash"
MKFS_OPTS="-O ^no-holes -n 4096" MOUNT_OPTS=compress-force=zstd
RECEIVE_AS="v2-compressed"
