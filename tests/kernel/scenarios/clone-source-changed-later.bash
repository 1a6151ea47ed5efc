# the source is truncated, or overwritten, after it was shared.
before() {
	put f1 0 300001
	put f2 0 400000 2
	put f3 0 200000 3
	settle f1 f2 f3
}
after() {
	share f1 262144 37857 f4 0
	share f1 131072 65536 f2 65536
	share f3 0 131072 f5 4096
	truncate -s 280000 f1
	put f3 8192 40000 4
}
