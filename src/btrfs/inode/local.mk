noinst_LIBRARIES += libinode.a
libinode_a_SOURCES = \
	src/btrfs/inode/inode_reader.c \
	src/btrfs/inode/inode_reader.h
lib_inode = libinode.a $(lib_tree)
