# Every bit of a mode; owners; times only; the top directory too.
before() {
	mkdir d
	touch a b c
	ln -s x link
	chown 1000:1000 .
}
after() {
	chmod 4755 a
	chmod 2644 b
	chmod 1777 d
	chmod 0 c
	chown 4294967294:65534 a
	chown -h 5:6 link
	touch -d 1969-12-31T23:59:58.5 b
	touch -h -d 2100-01-01 link
	chmod 2750 .
	chgrp 50 d
}
