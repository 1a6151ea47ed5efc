# made, and deleted while open, since the parent; two of them, one a
# directory in use.
build() {
	subvolume sub
	touch sub/first
	freeze sub A
	noise 70000 >sub/one
	mkdir sub/dir
	exec 5<sub/one
	rm sub/one
	(
		cd sub/dir
		rmdir ../dir
		text 40 >../last
		chown 7:8 ../last
		mv ../../sub ../../B
		commit ../../B
		btrfs property set -ts ../../B ro true
	)
	exec 5<&-
}
