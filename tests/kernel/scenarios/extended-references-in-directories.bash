# Few names a directory, in extended references of several directories, moved.
before() {
	mkdir d1 d2 d3
	text 100 >d1/f
	perl -e 'for my $d (1 .. 3) { link("d1/f", sprintf("d$d/%s%03d", "x" x 200, $_)) or die for 1 .. 120 }'
}
after() {
	mv d1 d3/d1
	mv d2 d1
	perl -e 'unlink(glob("d1/*1")); rename($_, $_ . "moved") for glob("d3/x*5")'
	rm d3/d1/f
}
