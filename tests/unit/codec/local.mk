check_PROGRAMS += tests/unit/codec/test_checksum tests/unit/codec/test_decompress
tests_unit_codec_test_checksum_LDADD = $(lib_support) $(lib_codec)
tests_unit_codec_test_decompress_LDADD = $(lib_support) $(lib_codec)
