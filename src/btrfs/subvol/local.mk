noinst_LIBRARIES += libsubvol.a
libsubvol_a_SOURCES = \
	src/btrfs/subvol/catalog.c \
	src/btrfs/subvol/catalog.h \
	src/btrfs/subvol/catalog_mounted.c \
	src/btrfs/subvol/catalog_private.h \
	src/btrfs/subvol/kernel_subvol.c \
	src/btrfs/subvol/kernel_subvol.h \
	src/btrfs/subvol/pattern.c \
	src/btrfs/subvol/pattern.h \
	src/btrfs/subvol/root_list.c \
	src/btrfs/subvol/root_list.h \
	src/btrfs/subvol/snapshot.c \
	src/btrfs/subvol/snapshot.h
lib_subvol = libsubvol.a $(lib_fs) $(BTRFSUTIL_LIBS)
