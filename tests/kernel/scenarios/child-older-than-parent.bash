# A full send meets children before the directories they are in
# (send-order 3.2, 15.1): parents are created early, under orphan names.
before() {
	mkdir a
	touch f
	mkdir b b/c
	mv a f b/c
}
after() { mv b/c c; }
