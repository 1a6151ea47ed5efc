noinst_LIBRARIES += libfs.a
libfs_a_SOURCES = \
	src/btrfs/fs/fs.h
lib_fs = libfs.a $(lib_tree)
