dist_check_SCRIPTS += tests/kernel/catalog.bats
