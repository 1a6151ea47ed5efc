# Whole, partly overwritten, cut and inline compressed extents; one that does
# not compress.
MOUNT_OPTS=compress-force=zlib
before() {
	text 500000 1 >whole
	text 500000 2 >overwritten
	text 500000 3 >cut
	text 3000 4 >inline
	noise 300000 5 >incompressible
	text 131072 6 >exactly
	text 131073 7 >over
	settle ./*
}
after() {
	text 5000 8 | dd of=overwritten bs=1 seek=200000 conv=notrunc status=none
	truncate -s 250001 cut
	text 2000 9 >inline
	put incompressible 100000 10000 10
	text 70000 11 >>exactly
	text 200000 12 >new
	punch over 4096 100000
}
