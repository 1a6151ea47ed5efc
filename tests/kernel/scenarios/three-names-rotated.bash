# 15.10, with a second name on one of them.
before() {
	text 10 1 >f1
	text 20 2 >f2
	text 30 3 >f3
	ln f3 f3l
}
after() {
	mv f3 t
	mv f2 f3
	mv f1 f2
	mv t f1
	rm f3l
}
