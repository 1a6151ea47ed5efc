# 3.1, 3.3: a file deleted while open when the subvolume is made
# read-only; its item at the end makes the last inode finish again.
build() {
	subvolume sub
	text 5000 >sub/gone
	text 5000 >sub/stays
	freeze sub A
	exec 5>>sub/gone
	rm sub/gone
	text 10 2 >sub/new
	chown 5:6 sub/stays
	mv sub B
	commit
	btrfs property set -ts B ro true
	exec 5>&-
}
