# A file without checksums can only be shared with such.
MKFS_OPTS="--csum xxhash"
before() {
	touch n
	chattr +C n
	put n 0 131072
	put f 0 131072 2
	settle n f
}
after() {
	touch m
	chattr +C m
	share n 0 131072 m 65536
	share f 0 131072 g 0
	put n 4096 4096 3
}
