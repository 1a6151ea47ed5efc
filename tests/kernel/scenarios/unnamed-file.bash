# O_TMPFILE with data.
build() {
	subvolume sub
	text 10 >sub/f
	freeze sub A
	chmod 600 sub/f
	mv sub B
	with_unnamed_file B sh -c 'btrfs filesystem sync . && btrfs property set -ts B ro true'
}
