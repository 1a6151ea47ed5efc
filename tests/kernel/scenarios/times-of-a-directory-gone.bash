# 15.6: forks.  The name in a regenerated directory is held by a waiting one
# (8.2), and the times of a directory that no longer exists are sent (8.4.6).
# Receiving A..B stops at those times: the kernel's error, followed for now.
build() {
	subvolume sub
	mkdir sub/W sub/X sub/Zed
	snapshot sub first
	snapshot sub second
	mkdir first/D
	mv first/W first/D/n
	commit
	mv second/Zed second/Zed2
	mkdir second/D2
	mv second/W second/Zed2/w
	mv second/X second/D2/n
	freeze first A
	freeze second B
}
expect() {
	lines_in_order "$1" "mkdir o260-g-0" "rename Zed dest=Zed2" "rename D/n dest=Zed2/w" \
		"rename X dest=o260-g-0/n" "rmdir D" "rename o260-g-0 dest=D2" \
		"utimes D2 " "utimes atime" "utimes Zed2 " "utimes D2/n " "utimes o260-g-0 " "utimes Zed2/w "
}
RECEIVE="A B"
