# the snapshot keeps an entry for what no longer exists.
build() {
	subvolume sub
	mkdir sub/d
	subvolume sub/d/nested
	text 10 >sub/d/f
	freeze sub A
	btrfs -q subvolume delete sub/d/nested
	commit
	freeze sub B
}
