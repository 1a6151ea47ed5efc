# As file systems were made long ago.
MKFS_OPTS="-n 4096 -O ^no-holes,^skinny-metadata,^extref -R ^free-space-tree -m single"
before() {
	mkdir d
	put d/f 0 100000
	text 10 >d/g
	for i in {1..30}; do ln d/g "d/link$i"; done
	mkfifo fifo
}
after() {
	punch d/f 8192 8192
	rm d/link2*
	mv d e
	text 20 2 >e/h
}
