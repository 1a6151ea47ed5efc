# Data that only further clone sources have: in one, in two of them, and in
# those and the parent, where the highest subvolume id wins (11.2).
build() {
	subvolume sub
	subvolume other
	put sub/f 0 150000
	put other/one 0 140000 2
	put other/two 0 100001 3
	settle sub/f other/one other/two
	freeze sub A
	freeze other C
	put other/three 0 80000 4
	settle other/three
	cp --reflink=always sub/f other/f
	freeze other D
	put sub/own 0 60000 5
	settle sub/own
	for file in one two three; do cp --reflink=always other/$file sub/$file; done
	share other/two 0 65536 sub/f 262144
	cp --reflink=always sub/f sub/f2
	freeze sub B
}
STREAMS="A C D A..B A,C..B A,D..B A,C,D..B A,D,C..B D,A,C..B C,D..A"
RECEIVE="A C D A,C,D..B"
