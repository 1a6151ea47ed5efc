# 15.13: the same size again, or larger: zeros, then a truncation or none.
before() {
	put same 0 262144
	put larger 0 262144
	put within 0 262144
}
after() {
	truncate -s 0 same
	truncate -s 262144 same
	truncate -s 102400 larger
	truncate -s 307200 larger
	truncate -s 1000 within
	truncate -s 5000 within
	truncate -s 9000 within
}
