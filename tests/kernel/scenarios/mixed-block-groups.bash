# Data and metadata in the same chunks.
MKFS_OPTS="--mixed -n 4096"
. "$(dirname "${BASH_SOURCE[0]}")/data-appended.bash"
