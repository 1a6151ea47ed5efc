# directories at the top; same number and name, other parent;
# other type.
build() {
	subvolume sub
	mkdir sub/p sub/q
	mkdir sub/p/same sub/top sub/gone
	touch sub/top/f
	freeze sub A
	rm -r sub/p/same sub/top sub/gone
	remount
	mkdir sub/q/same sub/top
	text 100 >sub/top/f
	ln -s x sub/gone
	freeze sub B
}
