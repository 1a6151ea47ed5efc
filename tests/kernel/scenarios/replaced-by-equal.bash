# equal files in new inodes, blocks rewritten with the same bytes.
before() {
	put f 0 50000 1
	put g 0 50000 2
	text 100 3 >small
	settle ./*
}
after() {
	put f.new 0 50000 1
	mv f.new f
	put g 8192 8192 2
	text 100 3 >small.new
	mv small.new small
}
