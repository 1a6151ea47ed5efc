# p1/p2 twice below different roots; the roots exchanged, one renamed to
# the name another had, a third moved below it, and its mode changed.
before() {
	mkdir -p r1/p1/p2 r2/p1/p2 third
	text 10 1 >r1/p1/p2/f
	text 20 2 >r2/p1/p2/f
	text 30 3 >third/f
}
after() {
	mv r1 t
	mv r2 r1
	mv t r2
	mv r1/p1 r1/p0
	mv r2/p1/p2 r1/p1
	mv third r1/p1/third
	chmod 700 r1/p1/third r1/p0
	chmod 600 r1/p1/f
	text 40 4 >>r2/p1/f2
}
