noinst_LIBRARIES += libinode.a
libinode_a_SOURCES =
lib_inode = libinode.a $(lib_tree)
