noinst_LIBRARIES += libinode.a
libinode_a_SOURCES = \
	src/btrfs/inode/inode_reader.c \
	src/btrfs/inode/inode_reader.h \
	src/btrfs/inode/name_filter.c \
	src/btrfs/inode/name_filter.h
lib_inode = libinode.a $(lib_tree)
