check_PROGRAMS += \
	tests/unit/tree/test_node_store \
	tests/unit/tree/test_node_verify \
	tests/unit/tree/test_tree_cursor \
	tests/unit/tree/test_tree_diff
tree_disks = tests/unit/tree/disks.c tests/unit/tree/disks.h
tests_unit_tree_test_node_store_SOURCES = tests/unit/tree/test_node_store.c $(tree_disks)
tests_unit_tree_test_node_store_LDADD = $(lib_support) $(lib_tree)
tests_unit_tree_test_node_verify_SOURCES = tests/unit/tree/test_node_verify.c
tests_unit_tree_test_node_verify_LDADD = $(lib_support) $(lib_tree)
tests_unit_tree_test_tree_cursor_SOURCES = tests/unit/tree/test_tree_cursor.c $(tree_disks)
tests_unit_tree_test_tree_cursor_LDADD = $(lib_support) $(lib_tree)
tests_unit_tree_test_tree_diff_SOURCES = tests/unit/tree/test_tree_diff.c $(tree_disks)
tests_unit_tree_test_tree_diff_LDADD = $(lib_support) $(lib_tree)
