# 10.1, 11.2: a hole that is written sets back what counts as written, one that
# is punched does not: clones within the file differ between the protocols.
before() {
	put f 0 1048576
	put g 0 1048576 2
	settle f g
}
after() {
	punch f 65536 131072
	share f 262144 131072 f 524288
	share f 524288 65536 f 786432
	punch f 917504 65536
	share f 0 65536 f 1048576
	put f 1310720 65536 4
	settle f
	share f 1310720 65536 f 1572864
	punch f 1638400 4096
	punch g 0 65536
	share g 131072 65536 g 262144
	share g 262144 131072 g 65536
	punch g 524288 262144
	share g 786432 131072 g 917504
	share g 65536 65536 h 65536
}
