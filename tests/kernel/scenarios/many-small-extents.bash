# items of a file over several leaves; one block near the end changes.
MKFS_OPTS="-n 4096"
before() {
	# every other block
	perl -e 'open(F, ">f"); for my $i (0 .. 299) { sysseek(F, $i * 8192, 0); syswrite(F, chr(65 + $i % 26) x 4096) }'
	settle f
}
after() { put f $((290 * 8192)) 4096 3; }
expect() { [ "$(grep -c '^write' <<<"$1")" = 1 ]; }
