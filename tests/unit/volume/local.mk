check_PROGRAMS += tests/unit/volume/test_chunk_map tests/unit/volume/test_volume \
	tests/unit/volume/test_parity
tests_unit_volume_test_chunk_map_SOURCES = tests/unit/volume/test_chunk_map.c
tests_unit_volume_test_chunk_map_LDADD = $(lib_volume)
tests_unit_volume_test_volume_SOURCES = tests/unit/volume/test_volume.c
tests_unit_volume_test_volume_LDADD = $(lib_volume)
tests_unit_volume_test_parity_SOURCES = tests/unit/volume/test_parity.c
tests_unit_volume_test_parity_LDADD = $(lib_volume)
