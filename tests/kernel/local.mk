dist_check_SCRIPTS += tests/kernel/catalog.bats tests/kernel/profiles.bats tests/kernel/special.bats tests/kernel/trouble.bats tests/kernel/identity
EXTRA_DIST += tests/kernel/scenario.bash $(srcdir)/tests/kernel/scenarios
noinst_PROGRAMS += tests/kernel/read-streams
tests_kernel_read_streams_SOURCES = tests/kernel/read-streams.c
tests_kernel_read_streams_LDADD = $(GLIB_LIBS)
