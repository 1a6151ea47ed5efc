check_LIBRARIES += libfakefs.a
libfakefs_a_SOURCES = \
	tests/unit/extent/fake_fs.c \
	tests/unit/extent/fake_fs.h
check_PROGRAMS += tests/unit/extent/test_file_data
tests_unit_extent_test_file_data_SOURCES = tests/unit/extent/test_file_data.c
tests_unit_extent_test_file_data_LDADD = libextent.a libfakefs.a $(lib_support) $(lib_fs)
