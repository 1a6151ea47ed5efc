# 15.9: empty files and new directories with entries, over 64 directories.
before() {
	perl -e 'for (1 .. 80) { mkdir(sprintf("d%02d", $_)); open(F, sprintf(">d%02d/e", $_)) or die }'
}
after() {
	perl -e 'for (1 .. 80) { open(F, sprintf(">d%02d/f", $_)) or die }
		for (10 .. 40) { mkdir("d$_/sub"); open(F, ">d$_/sub/f") or die }'
	rm -r d0[1-9]
}
