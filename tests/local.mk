# Both kinds of tests speak TAP.
TEST_EXTENSIONS = .bats
TAP = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
LOG_DRIVER = $(TAP)
LOG_COMPILER = $(SHELL) $(top_srcdir)/tests/support/tap-test
BATS_LOG_DRIVER = $(TAP)
BATS_LOG_COMPILER = $(BATS)
AM_BATS_LOG_FLAGS = --tap
AM_TESTS_ENVIRONMENT = G_DEBUG=fatal-criticals; G_SLICE=always-malloc; export G_DEBUG G_SLICE; \
	SENDFS=$(abs_top_builddir)/sendfs; export SENDFS; \
	SUPPORT=$(abs_top_builddir)/tests/support; export SUPPORT;
include tests/support/local.mk
include tests/unit/base/local.mk
include tests/unit/codec/local.mk
include tests/unit/ondisk/local.mk
include tests/unit/volume/local.mk
include tests/unit/tree/local.mk
include tests/unit/fs/local.mk
include tests/unit/backref/local.mk
include tests/unit/extent/local.mk
include tests/unit/subvol/local.mk
include tests/unit/inode/local.mk
include tests/unit/compare/local.mk
include tests/unit/wire/local.mk
include tests/unit/order/local.mk
include tests/unit/plan/local.mk
include tests/unit/stream/local.mk
include tests/unit/view/local.mk
include tests/cli/local.mk
include tests/mount/local.mk
include tests/kernel/local.mk
include tests/random/local.mk
include tests/fuzz/local.mk
TESTS = $(check_PROGRAMS) $(dist_check_SCRIPTS)
