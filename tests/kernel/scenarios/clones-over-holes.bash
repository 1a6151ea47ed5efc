# a range that begins in a hole, to far behind the end, in a growing file.
before() { put f 0 65536; }
after() {
	put f 524288 327680 2
	settle f
	share f 458752 262144 f 1048576
	share f 524288 65536 g 65536
	truncate -s 2000001 f
}
