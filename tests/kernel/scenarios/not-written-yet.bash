# data in memory only when the subvolume is made read-only.
build() {
	subvolume sub
	touch sub/f
	freeze sub A
	mv sub B
	noise 1048576 >B/f
	btrfs property set -ts B ro true
}
