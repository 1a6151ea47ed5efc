check_PROGRAMS += tests/unit/fs/test_devices tests/unit/fs/test_fs
tests_unit_fs_test_fs_SOURCES = tests/unit/fs/test_fs.c
tests_unit_fs_test_fs_LDADD = $(lib_support) $(lib_fs)
tests_unit_fs_test_devices_SOURCES = tests/unit/fs/test_devices.c
tests_unit_fs_test_devices_LDADD = $(lib_support) $(lib_fs)
