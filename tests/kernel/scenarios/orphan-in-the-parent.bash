# the file is there in the child, deleted but open in the parent.
build() {
	subvolume sub
	text 3000 >sub/foo
	touch sub/bar
	freeze sub B
	freeze sub A
	btrfs property set -ts A ro false
	exec 5<A/foo
	rm A/foo
	commit
	btrfs property set -ts A ro true
	exec 5<&-
}
