# Metadata and data under another checksum.
MKFS_OPTS="--csum xxhash"
before() {
	mkdir d
	put d/f 0 200000
	text 100 >d/g
}
after() {
	put d/f 50000 1000 2
	mv d e
}
