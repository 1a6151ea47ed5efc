# The layers below are replaced by fakes.c.
lib_view_alone = libview.a $(lib_wire) $(FUSE_LIBS) $(XXHASH_LIBS)
view_fakes = tests/unit/view/fakes.h tests/unit/view/fakes.c

check_PROGRAMS += tests/unit/view/test_names
tests_unit_view_test_names_SOURCES = tests/unit/view/test_names.c $(view_fakes)
tests_unit_view_test_names_LDADD = $(lib_view_alone)

check_PROGRAMS += tests/unit/view/test_view
tests_unit_view_test_view_SOURCES = tests/unit/view/test_view.c $(view_fakes)
tests_unit_view_test_view_LDADD = $(lib_view_alone)

check_PROGRAMS += tests/unit/view/test_options
tests_unit_view_test_options_SOURCES = tests/unit/view/test_options.c
tests_unit_view_test_options_LDADD = $(lib_view_alone)
