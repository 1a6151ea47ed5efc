# The end of a source into a longer file: the length goes down to a multiple of
# 64 KiB, what is left is written (11.4, step 7).
before() {
	put f 0 200704
	put short 0 8192 2
	put odd 0 135168 3
	settle f short odd
}
after() {
	put to 0 500000 4
	settle to
	share f 0 200704 to 0
	share short 0 8192 to 204800
	share odd 4096 131072 to 262144
	share odd 65536 69632 to 393216
	share f 0 200704 f 262144
}
expect() { grep -q '^clone to .*len=196608' <<<"$1"; }
