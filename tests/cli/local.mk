dist_check_SCRIPTS += tests/cli/options.bats
