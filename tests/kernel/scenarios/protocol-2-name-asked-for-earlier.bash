# 5.3: the names of a file come in another order; nothing is sent for them, so
# protocol 1 asks what the file is called when its times are sent, and protocol
# 2 before, for its flags: it is called otherwise.
EXPECT=A..B@v2
before() {
	text 100 >a
	ln a b
}
after() {
	rm a
	ln b a
	chattr +d a
}
expect() { lines_in_order "$1" "fileattr a" "utimes a"; }
