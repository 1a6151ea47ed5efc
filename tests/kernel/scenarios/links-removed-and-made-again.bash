# 2,000 further names; all removed, the last 1,000 made again.
before() {
	text 100 >f
	perl -e 'link("f", sprintf("link%04d", $_)) or die for 1 .. 2000'
}
after() { perl -e 'unlink(sprintf("link%04d", $_)) or die for 1 .. 2000;
	link("f", sprintf("link%04d", $_)) or die for 1001 .. 2000'; }
