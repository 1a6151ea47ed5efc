# A compressed extent whose first half a file of 65 KiB shares; overwritten
# inside; and a hole after a tail that does not end at a sector.
MOUNT_OPTS=compress-force=zstd
RECEIVE_AS="v1 v2 v2-compressed decompressed"
before() {
	text 131072 >whole
	settle whole
	share whole 0 65536 half 0
	text 1024 x >>half
	text 200003 y >tail
	settle half tail
}
after() {
	put whole 40960 8192
	put half 8192 4096
	truncate -s 500000 tail
	share whole 65536 65536 later 4096
	put later 135000 5
	text 131072 z >new
	settle new
	share new 0 65536 new2 0
	text 1000 u >>new2
}
