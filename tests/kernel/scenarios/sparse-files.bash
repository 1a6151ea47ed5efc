# Holes first, last, only; very large ones; with data between.
before() {
	truncate -s 100000 only
	truncate -s 300M huge
	put front 1048576 5000
	put back 0 5000
	truncate -s 1048576 back
	put both 65536 100
	truncate -s 200000 both
}
after() {
	truncate -s 100001 only
	put huge 250000000 4096
	put front 0 1
	put both 0 65536
	truncate -s 5000000 new
	put new 4096 4096
}
STREAMS="A B A..B"
