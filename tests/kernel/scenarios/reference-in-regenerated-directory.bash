# 15.7: a reference that is the same in both, in a directory that is not.
build() {
	subvolume sub
	text 5000 >sub/f
	snapshot sub first
	snapshot sub second
	mkdir first/d
	mv first/f first/d
	commit
	mkdir second/d
	mv second/f second/d
	freeze first A
	freeze second B
}
expect() {
	lines_in_order "$1" "mkdir o258-g-0" "link o258-g-0/f dest=d/f" "unlink d/f" \
		"utimes o258-g-0/f " "rmdir d" "rename o258-g-0 dest=d" "utimes d " "utimes atime"
}
