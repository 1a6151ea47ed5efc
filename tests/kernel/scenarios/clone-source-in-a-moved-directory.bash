# Sources that bear a temporary name, or the name from before a move, when they
# are cloned from.
before() {
	mkdir a b c
	put a/f 0 100000
	put b/g 0 100000 2
	put c/h 0 100000 3
	settle a/f b/g c/h
}
after() {
	mv a b/a
	mv b c/b
	mkdir z
	mv c z/c
	cp --reflink=always z/c/b/a/f z/f2
	cp --reflink=always z/c/b/g new
	ln z/c/h h2
	cp --reflink=always z/c/h z/h3
	rm z/c/h
	mv z/c/b/a/f z/c/b/a/F
	touch z/c/b/a/F
}
