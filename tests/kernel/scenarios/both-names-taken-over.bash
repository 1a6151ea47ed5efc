# a file with two names, each taken over, once by a directory.
before() {
	mkdir d
	text 10 1 >d/one
	ln d/one two
	text 20 2 >d/other
	mkdir dir
}
after() {
	ln two kept
	rm d/one two
	mv d/other two
	mv dir d/one
	touch d/one/in
}
