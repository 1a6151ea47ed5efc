EXTRA_DIST += tests/support/lib.bash tests/support/tap-test
