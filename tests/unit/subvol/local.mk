check_PROGRAMS += tests/unit/subvol/test_catalog tests/unit/subvol/test_pattern
tests_unit_subvol_test_catalog_SOURCES = tests/unit/subvol/test_catalog.c
tests_unit_subvol_test_catalog_LDADD = $(lib_support) $(lib_subvol)
tests_unit_subvol_test_pattern_SOURCES = tests/unit/subvol/test_pattern.c
tests_unit_subvol_test_pattern_LDADD = $(lib_support) $(lib_subvol)
