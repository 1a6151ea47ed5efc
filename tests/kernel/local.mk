dist_check_SCRIPTS += tests/kernel/catalog.bats tests/kernel/identity
EXTRA_DIST += tests/kernel/read-streams tests/kernel/scenario.bash $(srcdir)/tests/kernel/scenarios
