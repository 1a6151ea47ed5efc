# The same where holes are items.
MKFS_OPTS="-O ^no-holes"
. "$(dirname "${BASH_SOURCE[0]}")/clones-over-holes.bash"
