# Items that cover less than what is wanted: the longest, and a search that ends
# with the first that is long enough (11.2).
before() {
	put f 0 262144
	settle f
	share f 0 65536 short 0
	share f 65536 131072 middle 0
	share f 0 262144 whole 0
}
after() {
	share f 0 262144 all 0
	share f 65536 65536 part 0
	share f 131072 131072 end 8192
	put whole 0 4096 2
	put f 200704 4096 3
}
