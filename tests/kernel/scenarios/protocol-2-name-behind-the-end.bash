# As protocol-2-name-asked-for-earlier, with a hole behind the end of the file,
# and a file that is open and has no name, after which all is sent once more.
EXPECT=A..B@v2
before() {
	put a 0 4096
	reserve a 8192 65536 -n
	ln a b
	text 10 >zz
	ln zz zy
}
after() {
	punch a 8192 65536
	rm a
	ln b a
	rm zz
	ln zy zz
	chattr +d zz
}
build() {
	subvolume sub
	(cd sub && before)
	freeze sub A
	(cd sub && after)
	with_unnamed_file sub btrfs -q subvolume snapshot -r sub B
}
