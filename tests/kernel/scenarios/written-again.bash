# A read-only snapshot made writable, changed, and read-only again.
build() {
	subvolume sub
	put sub/f 0 70000
	touch sub/g
	freeze sub A
	snapshot A B
	put B/f 4096 4096 2
	rm B/g
	commit
	btrfs property set -ts B ro true
	btrfs property set -ts A ro false
	text 100 >A/h
	put A/f 12288 4096 3
	commit
	btrfs property set -ts A ro true
}
