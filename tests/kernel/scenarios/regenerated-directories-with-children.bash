# Directories of equal numbers and other generations, in each other's places.
build() {
	subvolume sub
	mkdir sub/old sub/old2
	text 200 >sub/old/f
	text 200 >sub/old2/g
	snapshot sub first
	snapshot sub second
	mkdir -p first/p/q/r
	mv first/old/f first/p/q
	mv first/old2 first/p/q/r
	commit
	mkdir -p second/r/p/q
	mv second/old second/r/p/q
	mv second/old2/g second/r/p
	freeze first A
	freeze second B
}
