noinst_LIBRARIES += libtree.a
libtree_a_SOURCES = \
	src/btrfs/tree/node.h \
	src/btrfs/tree/node_store.h \
	src/btrfs/tree/tree_cursor.h \
	src/btrfs/tree/tree_diff.h
lib_tree = libtree.a $(lib_volume)
