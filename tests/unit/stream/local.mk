check_PROGRAMS += tests/unit/stream/test_stream
tests_unit_stream_test_stream_SOURCES = tests/unit/stream/test_stream.c
tests_unit_stream_test_stream_LDADD = libstream.a libplan.a libwire.a libextent.a libfakefs.a \
	$(lib_support) $(lib_fs)
