# 15.10 as it stands: f1 -> f2 -> f3 -> f1, by the link.
before() {
	text 10 1 >f1
	text 20 2 >f2
	text 30 3 >f3
	ln f3 f3l
}
after() {
	mv f2 t
	mv f1 f2
	mv f3 f0
	mv t f3
	mv f3l f1
	rm f0
}
