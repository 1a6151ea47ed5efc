noinst_LIBRARIES += libcodec.a
libcodec_a_SOURCES = \
	src/btrfs/codec/checksum.c \
	src/btrfs/codec/checksum.h \
	src/btrfs/codec/decompress.c \
	src/btrfs/codec/decompress.h
lib_codec = libcodec.a $(lib_base) $(ISAL_LIBS) $(ZSTD_LIBS) $(ZLIB_LIBS) $(LZO_LIBS) $(XXHASH_LIBS) $(GCRYPT_LIBS)
