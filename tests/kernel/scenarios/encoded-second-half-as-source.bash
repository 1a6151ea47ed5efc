# Of a compressed extent a file uses the second half alone, and that is shared.
MOUNT_OPTS=compress-force=zlib
RECEIVE_AS="v1 v2 v2-compressed decompressed"
EXPECT=A..B@v2-compressed
before() {
	text 131072 >extent
	settle extent
	share extent 65536 65536 half 0
	share half 0 65536 again 8192
	rm extent
}
after() {
	share half 16384 32768 part 0
	share half 0 65536 half 262144
	rm again
	put half 4096 4096
	share half 32768 32768 last 65536
}
expect() { lines_in_order "$1" "clone part"; }
