# Existing files that get shared ranges, at the start, in the middle, at the
# end; moved and linked besides.
before() {
	mkdir d
	for i in 1 2 3 4; do put d/f$i 0 200001 $i; done
	settle d/f*
}
after() {
	share d/f1 0 65536 d/f2 0
	share d/f1 65536 65536 d/f3 131072
	share d/f4 0 131072 d/f1 200704
	share d/f2 131072 68929 d/f4 262144
	mv d/f1 x
	ln d/f3 y
	rm d/f3
}
