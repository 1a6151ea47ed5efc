# snapshots that were received are known by their received identity.
build() {
	mkdir from
	subvolume sub
	put sub/f 0 70000
	freeze sub from/A
	put sub/f 8192 5000 2
	mkdir sub/d
	freeze sub from/B
	commit
	btrfs send -q from/A | btrfs receive -q .
	btrfs send -q -p from/A from/B | btrfs receive -q .
}
