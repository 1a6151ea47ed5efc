# As directories-shuffled-1, another history.
. "$(dirname "${BASH_SOURCE[0]}")/directories-shuffled-1.bash"
SEED=2 DIRECTORIES=16 MOVES=80
