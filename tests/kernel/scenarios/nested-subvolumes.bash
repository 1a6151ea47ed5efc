# nothing is sent for them, nor for the empty directories they leave.
before() {
	mkdir X
	touch X/in
	subvolume Y
	touch Y/inside
	mkdir d
	subvolume d/N
	subvolume M
}
after() {
	rm -r X
	subvolume X
	btrfs -q subvolume delete Y
	mkdir Y
	touch Y/plain
	mv M d/M2
	mkdir e
	mv d/N e
}
