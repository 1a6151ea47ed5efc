# 15.8: a file keeps its old first name and gets one with a lower directory
# number: it goes on being addressed by the old one.
before() {
	mkdir d
	text 100 >d/b
	ln d/b d/zz
}
after() {
	ln d/b x
	rm d/zz
	text 9000 7 >>d/b
	chmod 600 x
}
expect() { lines_in_order "$1" "link x dest=d/b" "unlink d/zz" "write d/b" "chmod d/b" "utimes d/b "; }
