order_sending = tests/unit/order/sending.c tests/unit/order/sending.h
check_PROGRAMS += \
	tests/unit/order/test_clones \
	tests/unit/order/test_damage \
	tests/unit/order/test_examples \
	tests/unit/order/test_traps
tests_unit_order_test_clones_SOURCES = tests/unit/order/test_clones.c $(order_sending)
tests_unit_order_test_clones_LDADD = $(lib_support) $(lib_order)
tests_unit_order_test_examples_SOURCES = tests/unit/order/test_examples.c $(order_sending)
tests_unit_order_test_examples_LDADD = $(lib_support) $(lib_order)
tests_unit_order_test_traps_SOURCES = tests/unit/order/test_traps.c $(order_sending)
tests_unit_order_test_traps_LDADD = $(lib_support) $(lib_order)
tests_unit_order_test_damage_SOURCES = tests/unit/order/test_damage.c $(inode_trees)
tests_unit_order_test_damage_LDADD = $(lib_support) $(lib_order)

check_PROGRAMS += tests/unit/order/test_leaf_cache
tests_unit_order_test_leaf_cache_SOURCES = tests/unit/order/test_leaf_cache.c
tests_unit_order_test_leaf_cache_LDADD = $(lib_order)
