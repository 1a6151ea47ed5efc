# the parent was received, its successor is of this file system.
build() {
	mkdir from
	subvolume sub
	put sub/f 0 70000
	freeze sub from/A
	btrfs send -q from/A | btrfs receive -q .
	snapshot A work
	put work/f 8192 5000 2
	freeze work B
}
