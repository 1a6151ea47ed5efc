# 15.9: the list of directory times holds 64; what falls out is sent between a
# file's rename and its first write.
before() {
	perl -e 'for (1 .. 70) { mkdir(sprintf("d%02d", $_)); open(F, sprintf(">d%02d/e", $_)) or die }'
}
after() {
	perl -e 'for (1 .. 70) { open(F, sprintf(">d%02d/g", $_)) or die; print F "g" x 300 }'
}
expect() {
	lines_in_order "$1" "rename o460-g-0 dest=d64/g" "write d64/g" "rename o461-g-0 dest=d65/g" \
		"utimes d" "write d65/g"
}
