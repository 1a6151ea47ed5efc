# Leaves leave the cache of back references while others come (12.5).
MKFS_OPTS="-n 4096"
before() {
	pieces f 1500
	settle f
}
after() {
	for i in 1 2 3 4 5 6; do cp --reflink=always f "f$i"; done
	for i in 6 2 4; do put f$i 1000000 100000 $i; done
	cp --reflink=always f4 g
}
