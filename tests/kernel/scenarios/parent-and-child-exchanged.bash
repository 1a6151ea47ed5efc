# 15.3: a directory can move only when its new ancestor has.
before() { mkdir -p a/b/c/d a/b/c2; }
after() {
	mv a/b/c/d a/b/c2/d2
	mv a/b/c a/b/c2/d2/cc
}
expect() {
	lines_in_order "$1" "rename a/b/c/d dest=a/b/c2/d2" "rename a/b/c dest=a/b/c2/d2/cc" \
		"utimes a/b/c2 " "utimes a/b/c2/d2 " "utimes a/b " "utimes a/b/c2/d2/cc "
}
