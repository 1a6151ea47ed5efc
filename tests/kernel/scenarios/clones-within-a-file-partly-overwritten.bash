# Parts of one extent at other offsets of the same file, some beyond the end;
# then the middle is written anew, so that sources lie before and behind what
# has been sent (11.2).
before() {
	for i in 0 1 2 3; do put f $((i * 262144)) 262144 $((i + 1)); done
	settle f
}
after() {
	share f 786432 262144 f 1048576
	share f 0 131072 f 1572864
	share f 524288 65536 f 131072
	share f 1048576 131072 f 262144
	put f 327680 655360 9
	settle f
	share f 1310720 262144 f 0
}
