# A file of a size that is no multiple of a sector, and a reflink of it: one
# copy of the data (11.3).
after() {
	put f 0 1048581
	settle f
	cp --reflink=always f g
}
expect() { grep -q '^clone g .*len=1048581' <<<"$1" && ! grep -q '^write g' <<<"$1"; }
