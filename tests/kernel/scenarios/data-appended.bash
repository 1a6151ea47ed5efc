# Grown by a byte, a block, over an extent; from inline to regular and back.
before() {
	put byte 0 4095
	put block 0 8192
	put unaligned 0 100001
	text 100 >inline
	text 2000 >shrinks
	touch empty
	put regular 0 30000
}
after() {
	printf x >>byte
	put block 8192 4096 2
	put unaligned 100001 99999 3
	text 20000 2 >>inline
	text 50 3 >shrinks
	text 60 >empty
	text 70 >regular
}
