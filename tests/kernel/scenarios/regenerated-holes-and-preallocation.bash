# A regenerated file is sent as a new one: no holes, nothing preallocated.
build() {
	subvolume sub
	snapshot sub first
	snapshot sub second
	put first/f 0 100000
	commit
	put second/f 40960 8192
	reserve second/f 65536 65536
	setfattr -n user.x -v y second/f
	freeze first A
	freeze second B
}
