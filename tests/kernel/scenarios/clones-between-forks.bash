# Numbers mean other files in the parent; what it shares is found all the same.
build() {
	subvolume sub
	put sub/f 0 131072
	settle sub/f
	snapshot sub one
	snapshot sub two
	put one/x 0 131072 2
	settle one/x
	share one/f 0 65536 one/y 0
	cp --reflink=always one/x two/late
	share two/f 65536 65536 two/early 0
	share one/x 0 65536 two/f 262144
	freeze one A
	freeze two B
}
