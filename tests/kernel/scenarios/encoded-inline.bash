# Inline extents that are compressed, up to the largest, and those that are not;
# files that grow out of one; cut and extended ones.
MOUNT_OPTS=compress-force=zstd,max_inline=3000
RECEIVE_AS="v2 v2-compressed decompressed"
EXPECT=A@v2-compressed
before() {
	for n in 1 50 100 2047 2048 3000 3001 4095 4096; do text $n >text$n; noise $n >noise$n; done
	for c in zlib lzo zstd; do
		touch $c
		btrfs property set $c compression $c
		text 2500 $c >$c
	done
}
after() {
	text 100 x >>text50
	text 9000 y >>text100
	truncate -s 1500 text3000
	truncate -s 5000 text2048
	rm text1
	chmod 600 text4095
}
expect() { lines_in_order "$1" "encoded_write"; }
