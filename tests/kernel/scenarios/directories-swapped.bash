# 15.2: the new name of the first is held by the second, not processed yet.
before() {
	mkdir a b
	touch a/1 b/2
}
after() {
	mv a t
	mv b a
	mv t b
}
expect() {
	lines_in_order "$1" "rename b dest=o258-g-0" "rename a dest=b" "rename o258-g-0 dest=a" \
		"utimes a " "utimes atime" "utimes b "
}
