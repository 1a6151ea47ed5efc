check_PROGRAMS += tests/unit/volume/test_chunk_map tests/unit/volume/test_volume
tests_unit_volume_test_chunk_map_SOURCES = tests/unit/volume/test_chunk_map.c
tests_unit_volume_test_chunk_map_LDADD = $(lib_volume)
tests_unit_volume_test_volume_SOURCES = tests/unit/volume/test_volume.c
tests_unit_volume_test_volume_LDADD = $(lib_volume)
