check_PROGRAMS += tests/unit/ondisk/test_built_tree tests/unit/ondisk/test_items tests/unit/ondisk/test_super
tests_unit_ondisk_test_built_tree_LDADD = $(lib_support) $(lib_ondisk)
tests_unit_ondisk_test_items_LDADD = $(lib_support) $(lib_ondisk)
tests_unit_ondisk_test_super_LDADD = $(lib_support) $(lib_ondisk)
