inode_trees = tests/unit/inode/trees.c tests/unit/inode/trees.h $(tree_disks)
check_PROGRAMS += tests/unit/inode/test_inode_reader
tests_unit_inode_test_inode_reader_SOURCES = tests/unit/inode/test_inode_reader.c $(inode_trees)
tests_unit_inode_test_inode_reader_LDADD = $(lib_support) $(lib_inode)
