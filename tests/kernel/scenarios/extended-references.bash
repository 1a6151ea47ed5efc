# 2,550 names in one directory, so that most are in extended references;
# then all that are not.
before() {
	text 100 >f
	perl -e 'link("f", sprintf("name-of-a-certain-length-%04d", $_)) or die for 1 .. 2550'
}
after() {
	perl -e 'unlink(sprintf("name-of-a-certain-length-%04d", $_)) or die for 1 .. 900'
	rm f
}
