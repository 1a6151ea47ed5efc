# 9.1: FILEATTR for what has other flags, of files, of directories, of special
# files; not for new ones, and not for links.  OTIME of all types.
EXPECT=A..B@v2
RECEIVE_AS="v1 v2"
before() {
	text 100 >f
	text 100 >g
	mkdir d e
	mknod fifo p
	ln -s f link
	chattr +A d
	chattr +d .
	text 10000 >prop
}
after() {
	chattr +Ad f
	chattr +d d
	chattr -A d
	text 10 >>g
	chattr +A g
	chattr -d .
	touch new
	chattr +A new
	mkdir newdir
	chattr +d newdir
	ln -s g link2
	mknod pipe p
	reserve prop 20000 40960 -n
	btrfs property set e compression zstd
	mv e e2
}
expect() {
	lines_in_order "$1" "fileattr f" && ! grep -q '^fileattr new' <<<"$1" &&
		decode "$WORK/kernel/$EXPECT" | grep -E '^ *[0-9]+ +[0-9]+ +utimes .*otime=' >/dev/null
}
