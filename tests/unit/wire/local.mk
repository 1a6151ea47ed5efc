check_PROGRAMS += tests/unit/wire/test_encode tests/unit/wire/test_decode \
	tests/unit/wire/test_variants
tests_unit_wire_test_variants_SOURCES = tests/unit/wire/test_variants.c
tests_unit_wire_test_variants_LDADD = $(lib_support) $(lib_wire)
tests_unit_wire_test_encode_SOURCES = tests/unit/wire/test_encode.c
tests_unit_wire_test_encode_LDADD = $(lib_support) $(lib_wire)
tests_unit_wire_test_decode_SOURCES = \
	tests/unit/wire/command_parse.c \
	tests/unit/wire/command_parse.h \
	tests/unit/wire/test_decode.c
tests_unit_wire_test_decode_CPPFLAGS = $(AM_CPPFLAGS) \
	-DSTREAMS='"$(abs_top_srcdir)/tests/data/streams"'
tests_unit_wire_test_decode_LDADD = $(lib_support) $(lib_wire)
EXTRA_DIST += \
	tests/data/streams/make \
	tests/data/streams/full-v1.stream \
	tests/data/streams/full-v2.stream \
	tests/data/streams/incremental-v1.stream \
	tests/data/streams/incremental-v2.stream \
	tests/data/streams/nodata-v1.stream \
	tests/data/streams/nodata-v2.stream
