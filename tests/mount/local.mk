dist_check_SCRIPTS += tests/mount/files.bats tests/mount/life.bats
EXTRA_DIST += tests/mount/fixture.bash
