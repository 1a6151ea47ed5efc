noinst_LIBRARIES += libsubvol.a
libsubvol_a_SOURCES = \
	src/btrfs/subvol/catalog.h
lib_subvol = libsubvol.a $(lib_fs) $(BTRFSUTIL_LIBS)
