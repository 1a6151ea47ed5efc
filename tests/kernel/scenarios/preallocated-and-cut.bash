# Space beyond the end, then a size within, at and behind it.
before() {
	put a 0 4096
	reserve a 0 200000 -n
	reserve b 0 200000
	put c 0 100
	reserve c 0 100000 -n
}
after() {
	truncate -s 50000 a
	truncate -s 1000 b
	truncate -s 300000 c
}
