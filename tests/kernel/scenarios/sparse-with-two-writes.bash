# a sparse file, written at the start and in the middle.  The kernel
# sends the gaps as zeros.
before() { truncate -s 4M f; }
after() {
	put f 0 131072
	put f 2097152 131072
}
