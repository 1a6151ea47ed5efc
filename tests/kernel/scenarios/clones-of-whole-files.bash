# 15.14: reflinks of unaligned size: of the parent's file, of a new one,
# over an existing one, twice.
before() {
	put f 0 200000
	put g 0 50000 2
	settle f g
}
after() {
	cp --reflink=always f new
	cp --reflink=always f g
	put fresh 0 1048581 3
	settle fresh
	cp --reflink=always fresh fresh2
	cp --reflink=always fresh2 fresh3
}
expect() { grep -q '^clone new' <<<"$1" && grep -q '^clone g' <<<"$1" && grep -q '^clone fresh2' <<<"$1"; }
