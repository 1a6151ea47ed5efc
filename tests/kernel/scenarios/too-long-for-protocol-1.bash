# A command that fits the buffer of protocol 2 and not that of protocol 1, whose
# streams end with EOVERFLOW; the others do not.
MKFS_OPTS="-n 65536"
RECEIVE= # the nodes of the receiving file system do not hold the attribute
before() {
	local d=$(printf 'd%.0s' $(seq 200))
	mkdir -p $d/$d/$d/$d
	text 100 >$d/$d/$d/$d/f
	perl -e 'my ($f, $n, $v) = ($ARGV[0], "user.large", "v" x 65000);
		syscall(188, $f, $n, $v, 65000, 0) == 0 or die "setxattr: $!"' $d/$d/$d/$d/f
}
after() { text 100 >g; }
