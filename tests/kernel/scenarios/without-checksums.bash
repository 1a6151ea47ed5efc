# Files without checksums, and rewritten in place.
before() {
	mkdir nocow
	chattr +C nocow
	put nocow/f 0 300000
	put nocow/g 0 1000
	put cow 0 300000
	settle nocow/f
}
after() {
	put nocow/f 100000 50000 2
	put nocow/new 0 70000 3
	truncate -s 5000 nocow/g
}
