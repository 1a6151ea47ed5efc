noinst_LIBRARIES += libextent.a
libextent_a_SOURCES = \
	src/btrfs/extent/csum.c \
	src/btrfs/extent/csum.h \
	src/btrfs/extent/cursor_pool.c \
	src/btrfs/extent/cursor_pool.h \
	src/btrfs/extent/file_data.c \
	src/btrfs/extent/file_data.h \
	src/btrfs/extent/root_check.c \
	src/btrfs/extent/root_check.h \
	src/btrfs/extent/sectors.c \
	src/btrfs/extent/sectors.h
lib_extent = libextent.a $(lib_fs)
