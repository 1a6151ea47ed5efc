# Over 64 directories entered by moves and removals; some more than once.
before() {
	mkdir -p d{001..120}/s
	perl -e 'for (1 .. 120) { open(F, ">", sprintf("d%03d/s/f", $_)) or die; print F "in $_" }'
}
after() {
	perl -e 'for (1 .. 100) { rename(sprintf("d%03d/s/f", $_), sprintf("d%03d/f$_", $_ % 7 + 110)) or die }
		for (1 .. 60) { rename(sprintf("d%03d/s", $_), "d100/s$_") or die }'
	rm -r d05*
}
