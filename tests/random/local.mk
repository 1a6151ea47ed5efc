noinst_PROGRAMS += tests/random/history
tests_random_history_SOURCES = \
	tests/random/choose_data.c \
	tests/random/choose_names.c \
	tests/random/choose_sharing.c \
	tests/random/generate.c \
	tests/random/generate.h \
	tests/random/generator.h \
	tests/random/history.c \
	tests/random/model.c \
	tests/random/model.h \
	tests/random/operations_data.c \
	tests/random/operations_names.c \
	tests/random/operations_volume.c \
	tests/random/replay.c \
	tests/random/replay.h \
	tests/random/session.h
tests_random_history_LDADD = $(GLIB_LIBS)

# 30 seeds; more with SEEDS=FIRST-LAST.
dist_check_SCRIPTS += tests/random/run
dist_noinst_SCRIPTS += tests/random/shrink
