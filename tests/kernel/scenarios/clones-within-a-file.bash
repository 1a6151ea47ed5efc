# parts of a file at other offsets of it, partly beyond the end; then
# overwritten in the middle.
before() {
	put f 0 1048576
	settle f
}
after() {
	share f 0 131072 f 524288
	share f 262144 131072 f 1048576
	share f 65536 65536 f 1310720
	put f 196608 655360 2
}
