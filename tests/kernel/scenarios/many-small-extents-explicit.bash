# Where holes are items; the end of the file too.
MKFS_OPTS="-n 4096 -O ^no-holes"
before() {
	perl -e 'open(F, ">f"); for my $i (0 .. 299) { sysseek(F, $i * 8192, 0); syswrite(F, chr(65 + $i % 26) x 4096) }'
	settle f
}
after() {
	put f $((290 * 8192)) 4096 3
	put f $((100 * 8192)) 4096 3
	truncate -s $((298 * 8192 + 100)) f
}
