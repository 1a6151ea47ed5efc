# 10.3: the end of the item before the first of a leaf is looked up.
MKFS_OPTS="-n 4096"
before() {
	perl -e 'open(F, ">f"); for my $i (0 .. 399) { sysseek(F, $i * 8192, 0); syswrite(F, chr(65 + $i % 26) x 4096) }'
	settle f
}
after() {
	for i in {20..380..12}; do
		punch f $((i * 8192)) 4096
	done
	for i in {25..380..31}; do
		put f $((i * 8192 + 4096)) 4096 "$i"
	done
}
