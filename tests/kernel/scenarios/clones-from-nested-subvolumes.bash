# Data from a subvolume below, which is not in the snapshot, and from a snapshot
# that lies in it.
build() {
	subvolume sub
	mkdir sub/d
	subvolume sub/d/inner
	put sub/d/inner/f 0 150001
	put sub/own 0 65536 2
	settle sub/own sub/d/inner/f
	freeze sub A
	cp --reflink=always sub/d/inner/f sub/f
	cp --reflink=always sub/d/inner/f sub/d/f2
	freeze sub/d/inner sub/d/kept
	freeze sub/d/inner C
	btrfs -q subvolume delete -c sub/d/inner
	btrfs subvolume sync . >/dev/null
	subvolume sub/own2
	cp --reflink=always sub/own sub/own2/x
	freeze sub B
}
STREAMS="A B C A..B A,C..B B..A"
RECEIVE="A C A,C..B"
