# Several extents, over the size of a WRITE many times; rewritten in places.
before() {
	for i in 0 1 2 3; do
		put f $((i * 2097152)) 2097152 "$i"
		settle f
	done
}
after() {
	put f 1000000 1500000 7
	put f 8388608 100001 8
}
