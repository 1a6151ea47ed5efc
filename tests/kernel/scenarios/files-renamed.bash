# 15.10: files are never renamed, but linked and unlinked.
before() {
	mkdir d e
	text 100 >one
	text 100 >d/two
	text 100 >d/three
	ln -s target link
	mkfifo fifo
}
after() {
	mv one uno
	mv d/two e/two
	mv d/three .
	mv link e/link2
	mv fifo d
}
expect() { lines_in_order "$1" "link uno dest=one" "unlink one"; }
