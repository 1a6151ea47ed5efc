# A seeded history of moves of directories among each other (8.3, 8.4: waiting,
# loops, orphans), often of parents below their children.
export SEED=1 DIRECTORIES=24 MOVES=60
shuffle() { # make|change
	perl - "$1" <<'END'
use strict;
my $state = $ENV{SEED} * 2 + ($ARGV[0] eq "make");
sub below { $state = ($state * 1103515245 + 12345) % 2**31; return ($state >> 8) % $_[0] }
sub all { my ($d) = @_; return ($d, map { all($_) } sort(grep { -d } glob("$d/*"))) }
sub any { my @all = all("."); return $all[below(scalar(@all))] }

if ($ARGV[0] eq "make") {
	for my $i (1 .. $ENV{DIRECTORIES}) {
		my $d = any() . "/d$i";
		mkdir($d) or die;
		if ($i % 3 == 0) { open(my $f, ">", "$d/f") or die; print $f "in $i" }
	}
} else {
	for (1 .. $ENV{MOVES}) {
		my ($from, $to) = (any(), any());
		rename($from, "$to/" . ($from =~ s|.*/||r)) if $from ne ".";
	}
	for my $from (grep { /5$/ } all(".")) {
		rmdir($from) or rename($from, $from . "r");
	}
}
END
}
before() { shuffle make; }
after() { shuffle change; }
