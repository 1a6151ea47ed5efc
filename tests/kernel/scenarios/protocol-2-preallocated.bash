# Preallocated space is data where a file has changed, in protocol 2, too; its
# flag is sent.  Where holes are items, they are written.
MKFS_OPTS="-O ^no-holes"
RECEIVE_AS="v1 v2"
EXPECT=A..B@v2
before() {
	put changed 0 8192
	put touched 0 4096
	put holes 0 262144
	reserve new 0 200000
	reserve zeroed 0 65536
	put zeroed 0 65536
}
after() {
	reserve changed 8192 302400
	reserve touched 0 300000 -n
	punch holes 65536 131072
	punch new 4096 8192
	fallocate -z -o 8192 -l 16384 zeroed
}
expect() { lines_in_order "$1" "write changed offset=8192 len=131072" "write holes offset=65536 len=131072"; }
