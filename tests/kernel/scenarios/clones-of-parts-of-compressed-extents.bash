# Offsets into compressed extents: the first half is gone, the halves are in
# different files, the middle is written anew (12.2: no test of the position).
MOUNT_OPTS=compress-force=zstd
before() {
	text 131072 1 >f
	text 262144 2 >g
	text 131072 3 >h
	settle f g h
	share f 65536 65536 second 0
	rm f
	put g 32768 8192 4
	settle g
}
after() {
	share second 0 65536 k 65536
	share second 4096 8192 l 0
	share g 40960 90112 m 0
	share g 131072 131072 m 131072
	share h 0 4096 n 4096
	share h 61440 65536 n 8192
	cp --reflink=always m o
}
