# the highest file is removed, its number and name given to another.
build() {
	subvolume sub
	text 9000 1 >sub/stays
	text 9000 1 >sub/again
	freeze sub A
	rm sub/again
	remount
	text 4000 2 >sub/again
	freeze sub B
}
expect() { lines_in_order "$1" "unlink again" "mkfile o258-g-0" "rename o258-g-0 dest=again"; }
