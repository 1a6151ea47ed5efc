# The source is in the parent, in this snapshot, or in neither.
build() {
	subvolume sub
	subvolume elsewhere
	put sub/f 0 262144
	put elsewhere/e 0 131072 2
	settle sub/f elsewhere/e
	freeze sub A
	cp --reflink=always sub/f sub/f2
	rm sub/f
	cp --reflink=always elsewhere/e sub/e
	cp --reflink=always sub/e sub/e2
	freeze sub between
	put sub/f2 65536 8192 3
	freeze sub B
}
