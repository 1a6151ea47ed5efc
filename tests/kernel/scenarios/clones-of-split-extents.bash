# An extent whose middle has been overwritten in the source, in the copy, or in
# both at different places: parts are cloned, parts written (11.4, steps 2 to 9).
before() {
	put f 0 524288
	settle f
}
after() {
	cp --reflink=always f g
	cp --reflink=always f h
	put f 131072 65536 2
	put g 262144 65536 3
	settle f g
	share h 0 524288 i 4096
	share g 196608 196608 j 0
	put h 0 4096 4
	punch h 327680 65536
	settle h
	cp --reflink=always h k
}
