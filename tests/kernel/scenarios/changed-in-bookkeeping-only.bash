# Only times differ, or nothing does: rewritten items that say the same.
before() {
	put f 0 300000
	put g 0 300000
	mkdir d
	text 10 >d/x
	settle f g
}
after() {
	touch -d '2011-11-11 11:11:11.111111111' f
	chmod 600 g
	chmod 644 g
	mv d/x d/y
	mv d/y d/x
	touch -h -d 2012-12-12 d
}
