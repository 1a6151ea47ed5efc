# 15.5: a removed directory goes when the last child that had to wait has left.
before() {
	mkdir -p a/b/c
	mkdir a/b/c/x a/b/y
	touch a/b/c/foo
}
after() {
	mv a/b/y a/b/YY
	mv a/b/c/x a/b/YY/x
	rm -r a/b/c
}
expect() {
	lines_in_order "$1" "rename a/b/c dest=o259-g-0" "rename a/b/y dest=a/b/YY" \
		"rename o259-g-0/x dest=a/b/YY/x" "unlink o259-g-0/foo" "rmdir o259-g-0" \
		"utimes a/b/YY " "utimes a/b/YY/x " "utimes a/b "
}
