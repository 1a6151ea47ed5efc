# 8.5: a removed directory that held one with an id above all later numbers
# stays at the receiver as an orphan: the kernel's error, followed for now.
before() {
	mkdir d
	touch d/f
	for i in {1..12}; do subvolume "s$i"; done
	subvolume d/nested
	subvolume kept
}
after() {
	btrfs -q subvolume delete d/nested
	rm -r d
	touch new
}
RECEIVE="A B"
