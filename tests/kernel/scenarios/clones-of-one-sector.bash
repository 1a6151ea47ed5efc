# From offset 0 of a file one sector is written; from elsewhere it is cloned
# (11.4).
before() {
	put f 0 131072
	settle f
}
after() {
	share f 0 4096 a 0
	share f 0 4096 b 8192
	share f 4096 4096 c 0
	share f 0 8192 d 0
	share f 126976 4096 e 4096
	put g 0 4097 2
	settle g
	cp --reflink=always g h
	put i 0 4096 3
	settle i
	cp --reflink=always i j
}
