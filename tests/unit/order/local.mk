order_sending = tests/unit/order/sending.c tests/unit/order/sending.h
check_PROGRAMS += tests/unit/order/test_examples
tests_unit_order_test_examples_SOURCES = tests/unit/order/test_examples.c $(order_sending)
tests_unit_order_test_examples_LDADD = $(lib_support) $(lib_order)
