check_PROGRAMS += tests/unit/plan/test_plan tests/unit/plan/test_damage
tests_unit_plan_test_plan_SOURCES = \
	tests/unit/plan/model.c \
	tests/unit/plan/model.h \
	tests/unit/plan/test_plan.c
tests_unit_plan_test_plan_LDADD = $(lib_support) $(lib_plan)
tests_unit_plan_test_damage_SOURCES = \
	tests/unit/plan/model.c \
	tests/unit/plan/model.h \
	tests/unit/plan/test_damage.c
tests_unit_plan_test_damage_LDADD = $(lib_support) $(lib_plan)
check_PROGRAMS += tests/unit/plan/test_arena
tests_unit_plan_test_arena_SOURCES = tests/unit/plan/test_arena.c
tests_unit_plan_test_arena_LDADD = $(lib_plan)
