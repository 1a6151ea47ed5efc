# What data the clone sources have at which offset differs from one to the next;
# paths are those in the source (11.4).
build() {
	subvolume sub
	mkdir sub/d
	put sub/d/f 0 262144
	put sub/g 0 100000 2
	settle sub/d/f sub/g
	freeze sub A
	snapshot sub c
	mv c/d/f c/moved
	share c/moved 131072 131072 c/moved 524288
	put c/moved 0 4096 3
	rm c/g
	freeze c C
	snapshot sub d
	mv d/d d/dd
	truncate -s 150000 d/dd/f
	freeze d D
	share sub/d/f 131072 131072 sub/h 0
	cp --reflink=always sub/g sub/g2
	rm sub/g
	put sub/d/f 131072 131072 4
	freeze sub B
}
STREAMS="C D A..B A,C..B A,D..B A,C,D..B C,A..B D,A,C..B"
RECEIVE="C D"
