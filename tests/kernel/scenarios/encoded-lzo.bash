# As encoded-zlib.
. "$(dirname "${BASH_SOURCE[0]}")/encoded-zlib.bash"
MOUNT_OPTS=compress-force=lzo
