noinst_LIBRARIES += libplan.a
libplan_a_SOURCES = \
	src/send/plan/plan.h
lib_plan = libplan.a $(lib_wire)
