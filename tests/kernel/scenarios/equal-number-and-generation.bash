# Two unrelated files made in the same transaction in two forks are one file,
# renamed and changed (send-order 1).
build() {
	subvolume sub
	touch sub/keep
	snapshot sub first
	snapshot sub second
	text 5000 1 >first/mine
	text 7000 2 >second/yours
	freeze first A
	freeze second B
}
