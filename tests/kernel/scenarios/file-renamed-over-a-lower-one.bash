# 15.10
before() {
	text 100 1 >f1
	text 100 2 >f2
}
after() { mv f2 f1; }
expect() { lines_in_order "$1" "unlink f1" "link f1 dest=f2" "unlink f2"; }
