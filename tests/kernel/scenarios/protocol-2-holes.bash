# 10.3: in protocol 2 holes have their whole length, also behind the end of the
# file, and do not count as written.
EXPECT=A..B@v2
RECEIVE_AS="v1 v2"
before() {
	put f 0 262144
	put g 0 1048576
	put end 0 100000
	put sparse 524288 4096
	put beyond 0 8192
	reserve beyond 8192 200000 -n
	put moved 0 65536
	put moved2 0 65536
	reserve moved2 65536 65536 -n
}
after() {
	punch f 65536 65536
	punch g 0 8192
	punch g 500001 20000
	punch g 1000000 48576
	punch end 61440 38560
	truncate -s 300000 end
	punch sparse 524288 4096
	truncate -s 8192 beyond
	put beyond 300000 10
	truncate -s 4096 beyond
	punch moved 4096 8192
	mv moved a
	reserve moved2 200000 4096 -n
	punch moved2 65536 65536
	mv moved2 b
}
expect() { lines_in_order "$1" "fallocate f mode=3 offset=65536 len=65536" "fallocate g mode=3 offset=0 len=8192"; }
