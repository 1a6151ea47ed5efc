# No reflink: an overwritten middle leaves both ends in one extent; and a
# preallocated one that is partly written.
before() {
	put f 0 262144
	settle f
	put f 65536 65536 2
	reserve p 0 262144
	put p 100000 30000 3
	settle f p
}
after() {
	put f 131072 8192 4
	put p 8192 8192 5
	put p 200000 10 6
}
