noinst_LIBRARIES += libextent.a
libextent_a_SOURCES = \
	src/btrfs/extent/file_data.h
lib_extent = libextent.a $(lib_fs)
