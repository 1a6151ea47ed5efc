# Each name keeps; what it names becomes something else.
before() {
	text 10 >a
	mkdir b
	touch b/in
	ln -s x c
	mkfifo d
	mknod e c 1 3
}
after() {
	rm -r a b c d e
	mkdir a
	touch a/in
	ln -s y b
	mkfifo c
	mknod d b 7 7
	text 20 >e
}
