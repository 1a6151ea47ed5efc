check_PROGRAMS += \
	tests/unit/base/test_cause \
	tests/unit/base/test_log \
	tests/unit/base/test_lru \
	tests/unit/base/test_span \
	tests/unit/base/test_slab_pool \
	tests/unit/base/test_workers
tests_unit_base_test_log_LDADD = $(lib_base)
tests_unit_base_test_lru_LDADD = $(lib_base)
tests_unit_base_test_span_LDADD = $(lib_base)
tests_unit_base_test_workers_LDADD = $(lib_base)
check_PROGRAMS += tests/unit/base/test_load_cache
tests_unit_base_test_load_cache_SOURCES = tests/unit/base/test_load_cache.c
tests_unit_base_test_load_cache_LDADD = $(lib_base)
tests_unit_base_test_cause_SOURCES = tests/unit/base/test_cause.c
tests_unit_base_test_cause_LDADD = $(lib_base)
tests_unit_base_test_slab_pool_LDADD = $(lib_base)
