# btrfs.compression is an attribute like others.
before() {
	mkdir d
	btrfs property set d compression zstd
	text 50000 >d/f
	text 50000 >g
}
after() {
	btrfs property set d compression ''
	btrfs property set g compression lzo
	text 60000 2 >>g
	text 60000 3 >d/h
}
