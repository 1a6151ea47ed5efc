# The last, unaligned block of a file is shared into the end of others; then
# the source is cut, and part of it overwritten.
before() {
	put f1 0 100001
	put f2 0 300000 2
	put f3 0 65536 3
	settle f1 f2 f3
}
after() {
	share f1 65536 34465 f3 65536
	share f1 65536 32768 f2 131072
	cp --reflink=always f1 f4
	truncate -s 70000 f1
	put f1 8192 4096 4
}
