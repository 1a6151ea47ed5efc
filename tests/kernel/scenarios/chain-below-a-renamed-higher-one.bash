# the new parent has a lower number and hangs itself below one
# with a higher number that was renamed too.
before() {
	mkdir low mid moved
	mkdir high
	mv low high/low
	mkdir moved/in mid/in
	touch moved/in/f
}
after() {
	mv high/low mid/low
	mv mid high/mid2
	mv moved high/mid2/low/moved2
	mv high high2
}
