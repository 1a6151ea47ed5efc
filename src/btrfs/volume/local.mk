noinst_LIBRARIES += libvolume.a
libvolume_a_SOURCES = \
	src/btrfs/volume/byte_source.c \
	src/btrfs/volume/byte_source.h \
	src/btrfs/volume/chunk.h \
	src/btrfs/volume/chunk_map.c \
	src/btrfs/volume/chunk_map.h \
	src/btrfs/volume/profile.c \
	src/btrfs/volume/volume.c \
	src/btrfs/volume/volume.h
lib_volume = libvolume.a $(lib_ondisk)
