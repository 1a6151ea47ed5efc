# 15.4: a directory that waits for another one holds the name of a third.
before() { mkdir a b c; }
after() {
	mv c x
	mv a x/y
	mv b a
}
expect() {
	lines_in_order "$1" "rename a dest=o257-g-0" "rename b dest=a" "utimes a " \
		"rename c dest=x" "rename o257-g-0 dest=x/y" "utimes x " "utimes atime" "utimes x/y "
}
