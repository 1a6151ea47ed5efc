# The subvolume that references are keyed by is gone; its leaves are still shared
# by snapshots (12.1, shared references).
MKFS_OPTS="-n 4096"
build() {
	subvolume sub
	for i in {1..12}; do put sub/f$i 0 65536 $i; done
	pieces sub/p 150 13
	settle sub/*
	for i in {1..12}; do cp --reflink=always sub/f$i sub/g$i; done
	freeze sub A
	snapshot sub two
	share two/f3 0 65536 two/h 0
	share two/p 0 614400 two/h 65536
	put two/f5 8192 4096 14
	snapshot two three
	btrfs -q subvolume delete -c sub
	btrfs subvolume sync . >/dev/null
	cp --reflink=always three/p three/q
	cp --reflink=always three/f7 three/i
	freeze three B
	btrfs -q subvolume delete -c two three
	btrfs subvolume sync . >/dev/null
}
