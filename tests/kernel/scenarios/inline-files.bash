# Of every size around what fits into a leaf; changed in place.
before() {
	for i in 1 2 3 4 5 100 1000 2000 2040 2047 2048 2049 2050 4000; do
		text $i >"f$i"
	done
}
after() {
	for i in 1 100 2047 2048 2049 4000; do
		text $i 9 >"f$i"
	done
	text 3 >f2048
	text 2049 >f3
}
