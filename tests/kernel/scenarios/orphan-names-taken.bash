# 4.3: names at the top that look like orphan names; below they do not matter.
before() {
	mkdir below
	perl -e 'for my $n (400 .. 460) { for my $g (6 .. 14) { mkdir("o$n-$g-0") or die } }' 2>/dev/null
	rmdir o42*
	touch o43{0..9}-7-1
	touch below/o450-7-0
}
after() {
	perl -e 'for (1 .. 40) { open(F, ">new$_") }'
	perl -e 'rename("o41$_-7-0", "t$_"), rename("o44$_-7-0", "o41$_-7-0"), rename("t$_", "o44$_-7-0") for 0 .. 9'
	rmdir o45*
}
