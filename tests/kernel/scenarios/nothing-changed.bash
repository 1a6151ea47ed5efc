# Two snapshots of the same state: a header and an end.
before() {
	mkdir d
	text 100 >d/f
}
