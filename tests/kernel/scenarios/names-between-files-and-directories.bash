# a file takes the old name and place of the directory it was in.
before() {
	text 10 1 >a
	text 20 2 >b
	mkdir x
	mv a x/a
}
after() {
	mv x x2
	mv x2/a x
	mv b b2
	ln x b
	text 30 3 >x2/a
}
