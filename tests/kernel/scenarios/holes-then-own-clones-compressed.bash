# As holes-then-own-clones, with items that share compressed extents.
MOUNT_OPTS=compress-force=zstd
RECEIVE_AS="v1 v2-compressed"
before() {
	text 600001 >f
	text 600001 x >g
	settle f g
}
after() {
	put f 20000 4096
	punch f 65536 40960
	put f 200000 4096 2
	share f 262144 131072 f 700416
	share f 131072 65536 f 65536
	punch f 131072 131072
	share f 393216 65536 f 131072
	punch g 4096 4096
	share g 8192 65536 g 262144
	share g 262144 65536 g 393216
	share f 393216 65536 g 524288
}
