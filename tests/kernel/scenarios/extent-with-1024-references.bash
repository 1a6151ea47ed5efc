# That many are still cloned (11.1).
after() {
	put block 0 4096
	put other 0 8192 2
	settle block other
	share_many block 0 4096 many 0 4096 1023
}
expect() { [ "$(grep -c '^clone many' <<<"$1")" -gt 1000 ]; }
