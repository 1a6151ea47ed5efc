# Directories with entries never get their times at once, empty ones always do.
before() {
	mkdir -p empty filled/in full/deep/er
	touch full/f
}
after() {
	touch empty/now
	rm -r filled/in full/deep
	mkdir new new2
	touch new2/f
	touch -d 2001-02-03T04:05:06.123456789 new new2 empty
}
