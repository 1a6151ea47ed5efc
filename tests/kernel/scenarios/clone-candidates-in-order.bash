# Among equal files the highest inode number below; in the parent the highest
# altogether; never a higher one of the snapshot itself (11.2, 12.2).
before() {
	put f1 0 131072
	settle f1
	for i in 2 3 4 5; do cp --reflink=always f1 f$i; done
	put g 0 4096 2
}
after() {
	cp --reflink=always f2 g
	rm f5 f3
	for i in 6 7 8; do cp --reflink=always f1 f$i; done
	share f1 65536 65536 f7 131072
	touch f6
}
