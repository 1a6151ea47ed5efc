# 15.8: unlinking d/bb makes the file forget that it is called d/b.
before() {
	mkdir d
	text 100 >d/b
	ln d/b d/bb
}
after() {
	ln d/b x
	rm d/bb
	chmod 600 x
}
expect() { lines_in_order "$1" "link x dest=d/b" "unlink d/bb" "chmod x" "utimes x "; }
