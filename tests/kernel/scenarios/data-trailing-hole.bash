# 10.3, 9.1: a file extended by a hole gets zeros and still the truncation.
before() {
	put a 0 100000
	put b 0 4096
	text 100 >inline
}
after() {
	truncate -s 300000 a
	truncate -s 4097 b
	truncate -s 50000 inline
}
