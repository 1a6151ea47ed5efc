EXTRA_DIST += tests/support/lib.bash
