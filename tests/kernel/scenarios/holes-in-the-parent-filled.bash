# Gaps of the parent written, partly written, left; the gap sent is the whole
# one in the snapshot, even if a part was one before.
before() {
	put f 0 4096
	put f 65536 4096
	put f 1000000 4096
	put g 65536 65536
	put h 0 65536
}
after() {
	put f 8192 4096 2
	put f 40000 100 3
	punch f 65536 4096
	put g 4096 4096 4
	punch g 70000 30000
	punch h 0 4096
	put h 131072 1 5
}
