# Compressed extents as a whole and in part: overwritten in the middle, at an
# edge, cut, cut so far that the extent is longer than what is left, punched,
# at the end of a file that ends anywhere; noise among them.
MOUNT_OPTS=compress-force=zlib
RECEIVE_AS="v1 v2 v2-compressed decompressed"
EXPECT=A..B@v2-compressed
before() {
	for name in middle edge cut short punched noisy; do text 400001 $name >$name; done
	text 65537 a >small
	settle *
}
after() {
	put middle 180000 9000
	put edge 131072 4096
	truncate -s 300000 cut
	truncate -s 131075 short
	punch punched 40000 50000
	punch punched 262144 131072
	noise 300000 >>noisy
	text 300000 b >appended
	cat appended >>small
	text 131072 c | dd of=small bs=4096 seek=3 conv=notrunc status=none
	text 12289 d >>edge
}
expect() {
	lines_in_order "$1" "encoded_write" "write" &&
		lines_in_order "$1" "encoded_write small offset=12288"
}
