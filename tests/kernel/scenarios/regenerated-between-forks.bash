# 15.12: numbers given anew in two forks: file gone, directory, file.
build() {
	subvolume sub
	touch sub/keep
	snapshot sub first
	snapshot sub second
	touch first/one first/x
	mkdir first/y
	touch first/y/in
	text 400 1 >first/z
	commit
	touch second/one
	touch second/gone
	mkdir second/y2
	touch second/gone2
	text 500 2 >second/z2
	rm second/gone
	freeze first A
	freeze second B
}
