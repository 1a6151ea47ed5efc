# 9.2: attributes, owner, mode and times of the top directory itself.
before() {
	setfattr -n user.top -v 1 .
	chmod 700 .
	chown 3:4 .
}
after() {
	setfattr -n user.top -v 2 .
	setfattr -n user.more -v 3 .
	chmod 755 .
	touch -d 2005-05-05T05:05:05.5 .
}
expect() { lines_in_order "$1" "set_xattr" "chmod mode=755" "utimes atime"; }
