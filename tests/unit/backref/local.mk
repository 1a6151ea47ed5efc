check_PROGRAMS += tests/unit/backref/test_backrefs
tests_unit_backref_test_backrefs_SOURCES = tests/unit/backref/test_backrefs.c
tests_unit_backref_test_backrefs_LDADD = $(lib_support) $(lib_backref)
