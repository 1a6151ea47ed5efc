# WRITEs of 128 KiB, counted from the beginning of the piece; a long path, and
# ends that are not at a sector.
RECEIVE_AS="v2"
EXPECT=A..B@v2
before() {
	put f 0 400000
	settle f
	put f 400000 3000001 2
	mkdir -p $(printf 'x%.0s' $(seq 200))/$(printf 'y%.0s' $(seq 200))
	put "$(echo x*/y*)/deep" 0 262145
}
after() {
	put f 4097 300000 5
	put f 3400001 131073 6
	truncate -s 262143 x*/y*/deep
	put new 131072 131072
}
expect() { lines_in_order "$1" "write f offset=4096 len=131072" "write f offset=135168 len=131072"; }
