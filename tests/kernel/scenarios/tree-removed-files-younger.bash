# 15.11: a tree whose files have higher numbers than its directories.
before() {
	mkdir -p a/b/c
	touch a/1 a/b/2 a/b/c/3
}
after() { rm -r a; }
expect() {
	lines_in_order "$1" "rename a dest=o257-g-0" "rename o257-g-0/b dest=o258-g-0" \
		"rename o258-g-0/c dest=o259-g-0" "unlink o257-g-0/1" "rmdir o257-g-0" \
		"unlink o258-g-0/2" "rmdir o258-g-0" "unlink o259-g-0/3" "rmdir o259-g-0"
}
