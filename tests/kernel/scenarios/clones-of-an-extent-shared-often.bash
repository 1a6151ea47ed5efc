# one extent in many files and many times in one.
before() {
	put block 0 131072
	settle block
	for i in {0..40}; do share block 0 131072 many $((i * 131072)); done
}
after() {
	for i in {1..15}; do cp --reflink=always many "copy$i"; done
	put many 1000000 5000 2
}
