# Preallocated, partly written, and shared: in new and in changed files.
before() {
	reserve p 0 262144
	put p 65536 65536
	settle p
	put f 0 65536 2
	settle f
}
after() {
	share p 0 262144 q 0
	share p 32768 65536 f 131072
	touch r
	reserve r 0 131072 -n
	put r 8192 4096 3
	settle r
	cp --reflink=always r s
	put p 4096 4096 4
}
