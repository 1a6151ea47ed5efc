check_PROGRAMS += \
	tests/unit/compare/test_extent_diff \
	tests/unit/compare/test_inode_diff \
	tests/unit/compare/test_xattr_diff
tests_unit_compare_test_extent_diff_SOURCES = \
	tests/unit/compare/test_extent_diff.c \
	$(inode_trees)
tests_unit_compare_test_extent_diff_LDADD = $(lib_support) $(lib_compare)
tests_unit_compare_test_inode_diff_SOURCES = \
	tests/unit/compare/test_inode_diff.c \
	$(inode_trees)
tests_unit_compare_test_inode_diff_LDADD = $(lib_support) $(lib_compare)
tests_unit_compare_test_xattr_diff_SOURCES = tests/unit/compare/test_xattr_diff.c
tests_unit_compare_test_xattr_diff_LDADD = $(lib_support) $(lib_compare)
