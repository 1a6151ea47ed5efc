# All leaves stay in the cache of back references, and decide (12.2).
MKFS_OPTS="-n 4096"
before() {
	pieces f 400
	settle f
	cp --reflink=always f e
}
after() {
	for i in 1 2 3 4; do cp --reflink=always f "f$i"; done
	share f 409600 409600 f2 0
	share f3 0 204800 e 1024000
}
