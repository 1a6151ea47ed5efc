# As directories-shuffled-1, with small nodes and more directories than the
# list of directory times holds.
. "$(dirname "${BASH_SOURCE[0]}")/directories-shuffled-1.bash"
MKFS_OPTS="-n 4096" SEED=3 DIRECTORIES=90 MOVES=90
