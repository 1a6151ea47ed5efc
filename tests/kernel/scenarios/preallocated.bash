# 10.1: preallocated space of a changed file is sent as zeros, of a new one not.
before() {
	reserve new 0 200000
	touch beyond
	reserve beyond 0 200000 -n
	put changed 0 8192
	reserve untouched 0 100000
	put touched 0 4096
}
after() {
	reserve changed 8192 102400
	reserve touched 0 300000 -n
	chmod 600 untouched
	reserve later 4096 65536
	put later 200000 10
}
expect() { lines_in_order "$1" "write changed offset=8192 len=49152" "write changed offset=57344 len=49152"; }
