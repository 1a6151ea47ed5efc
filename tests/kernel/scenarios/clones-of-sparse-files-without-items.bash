# Holes before, between and behind shared extents, and no items for them.
before() {
	put f 65536 65536
	put f 262144 65536 2
	truncate -s 500001 f
	settle f
}
after() {
	cp --reflink=always f g
	share f 0 327680 h 8192
	share f 131072 131072 f 524288
	punch g 270336 8192
	truncate -s 600001 h
}
