# Several snapshots apart, with one in between that is not asked for; and one
# of a snapshot.
build() {
	subvolume sub
	mkdir sub/d
	put sub/d/f 0 50000
	freeze sub A
	put sub/d/f 4096 4096 2
	touch sub/soon-gone
	freeze sub between
	rm sub/soon-gone
	mv sub/d sub/e
	freeze sub C
	freeze C B
}
STREAMS="A B A..B B..A between..B A..between C..B"
RECEIVE="A A..B"
