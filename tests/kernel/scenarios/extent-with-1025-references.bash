# One more than the most that is cloned (11.1).
after() {
	put block 0 4096
	put other 0 8192 2
	settle block other
	share_many block 0 4096 many 0 4096 1024
}
expect() { ! grep -q '^clone' <<<"$1"; }
