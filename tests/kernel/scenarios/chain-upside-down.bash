# a chain of directories turned upside down, all names kept.
before() { mkdir -p a/b/c/d; }
after() {
	mv a/b/c/d d
	mv a/b/c d/c
	mv a/b d/c/b
	mv a d/c/b/a
}
