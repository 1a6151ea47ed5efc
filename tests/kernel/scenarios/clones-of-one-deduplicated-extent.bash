# Every block of a file is one and the same extent; and copies of that file.
SIZE=512M
before() {
	for i in {0..31}; do noise 131072 1; done >f
	settle f
	for i in {1..31}; do dedupe f 0 131072 f $((i * 131072)); done
}
after() { for i in {1..12}; do cp --reflink=always f "copy$i"; done; }
