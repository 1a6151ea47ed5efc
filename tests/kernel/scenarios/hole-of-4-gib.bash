# A hole of 4 GiB or more: without data its length loses its upper half
# (docs/quirks.md), as FALLOCATE it does not.  Protocol 1 with data would write
# all of it.
VARIANTS="v2 v2-compressed nodata" RECEIVE_AS="v2 v2-compressed" EXPECT=A..B@nodata
before() {
	put f 0 4096
	put f 3221225472 4096
	put f 6442446848 4096
	put end 0 4096
	put end 5368709120 8192
}
after() {
	punch f 3221225472 4096
	punch end 5368709120 8192
	put end 5368709120 1
}
expect() { lines_in_order "$1" "update_extent f offset=4096 len=2147479552"; }
