# only the second half of a compressed extent is in use, and shared.
MOUNT_OPTS=compress-force=zlib
before() {
	text 131072 1 >f
	text 131072 2 >g
	settle f g
	share f 65536 65536 half 0
	rm f
}
after() {
	share half 0 65536 h 131072
	share g 0 65536 k 0
	share g 65536 65536 g 200704
}
