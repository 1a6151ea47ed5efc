# As other-checksums.
. "$(dirname "${BASH_SOURCE[0]}")/other-checksums.bash"
MKFS_OPTS="--csum blake2"
