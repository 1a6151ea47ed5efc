noinst_LIBRARIES += libondisk.a
libondisk_a_SOURCES = \
	src/btrfs/ondisk/data_place.h \
	src/btrfs/ondisk/extent_refs.c \
	src/btrfs/ondisk/extent_refs.h \
	src/btrfs/ondisk/items.c \
	src/btrfs/ondisk/items.h \
	src/btrfs/ondisk/key.h \
	src/btrfs/ondisk/super.c \
	src/btrfs/ondisk/super.h
lib_ondisk = libondisk.a $(lib_codec)
