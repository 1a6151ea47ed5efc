# Trees of several levels that differ in height; changes far apart, and from
# few inodes to many.
MKFS_OPTS="-n 4096"
before() {
	mkdir a b
	touch a/f{001..150} b/first
}
after() {
	touch b/g{0001..2500}
	rm a/f{020..120}
	chmod 600 a/f150
}
