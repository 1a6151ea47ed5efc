# 15.10
before() {
	text 100 1 >f1
	text 100 2 >f2
}
after() { mv f1 f2; }
expect() {
	lines_in_order "$1" "rename f2 dest=o258-g-0" "link f2 dest=f1" "unlink f1" "unlink o258-g-0"
}
