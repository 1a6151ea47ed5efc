# Two snapshots of one state that went different ways.
build() {
	subvolume sub
	mkdir -p sub/d/e
	put sub/d/f 0 100000
	text 100 >sub/d/e/g
	snapshot sub first
	snapshot sub second
	put first/d/f 0 5000 2
	mv first/d/e first/e
	text 10 >first/new
	commit
	put second/d/f 50000 5000 3
	mv second/d second/dd
	text 20 >second/other
	mv second/dd/e/g second/dd/g
	freeze first A
	freeze second B
}
