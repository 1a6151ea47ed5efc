# 15.13: with no-holes, zeros for the whole gap, in pieces of 48 KiB.
before() {
	put f 0 262144
	put g 0 1048576
	put sparse 524288 4096
}
after() {
	punch f 65536 65536
	punch g 0 8192
	punch g 500001 20000
	punch g 1000000 48576
	punch sparse 524288 4096
}
expect() { lines_in_order "$1" "write f offset=65536 len=49152" "write f offset=114688 len=16384"; }
