noinst_LIBRARIES += libfs.a
libfs_a_SOURCES = \
	src/btrfs/fs/chunk_load.c \
	src/btrfs/fs/chunk_load.h \
	src/btrfs/fs/devices.c \
	src/btrfs/fs/devices.h \
	src/btrfs/fs/fs.c \
	src/btrfs/fs/fs.h \
	src/btrfs/fs/mounted.c \
	src/btrfs/fs/roots.c \
	src/btrfs/fs/super_scan.c \
	src/btrfs/fs/super_scan.h
lib_fs = libfs.a $(lib_tree)
