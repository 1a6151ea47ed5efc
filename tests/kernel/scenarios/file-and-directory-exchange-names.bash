# with children, in both directions.
before() {
	mkdir -p d/e
	text 10 >d/e/f
	text 20 >g
}
after() {
	mv d t
	mv g d
	mv t/e/f t/e/f2
	mv t g
	ln g/e/f2 g/e/f
}
