# As compressed-zlib.
. "$(dirname "${BASH_SOURCE[0]}")/compressed-zlib.bash"
MOUNT_OPTS=compress-force=zstd:3
