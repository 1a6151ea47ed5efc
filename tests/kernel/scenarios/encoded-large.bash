# Many extents, compressed and not, in turns; rewritten in places; encoded
# writes at a path of 2,000 bytes.
MOUNT_OPTS=compress
RECEIVE_AS="v2-compressed decompressed"
before() {
	for i in 0 1 2; do text 1048576 $i; noise 700001 $i; done >f
	for i in $(seq 8); do
		local d=$(printf 'd%.0s' $(seq 250))
		mkdir $d && cd $d
	done
	text 300000 >deep
}
after() {
	text 1000000 x | dd of=f bs=100k iflag=fullblock seek=2000001 oflag=seek_bytes conv=notrunc status=none
	put f 500000 300000
}
