noinst_LIBRARIES += libplan.a
libplan_a_SOURCES = \
	src/send/plan/arena.c \
	src/send/plan/arena.h \
	src/send/plan/block.c \
	src/send/plan/block.h \
	src/send/plan/block_store.c \
	src/send/plan/block_store.h \
	src/send/plan/builder.c \
	src/send/plan/internal.h \
	src/send/plan/plan.c \
	src/send/plan/plan.h \
	src/send/plan/record.c \
	src/send/plan/record.h
lib_plan = libplan.a $(lib_wire)
