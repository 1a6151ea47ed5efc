# Names added, removed, the first one changed; over directories.
before() {
	mkdir d1 d2
	text 10 1 >d1/a
	ln d1/a d1/b
	ln d1/a d2/a
	text 20 2 >x
	ln x d2/x
	text 30 3 >only
}
after() {
	rm d1/a
	ln d1/b first
	ln d2/a d2/aa
	mv x d1/x
	rm d2/x
	ln only d1/only
	ln only d2/only
	rm only
	text 5 9 >>d1/b
}
