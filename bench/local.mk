# Not built, nor run, unless asked for: make bench [BENCH="options of bench/run"]
EXTRA_PROGRAMS += bench/maker
bench_maker_SOURCES = bench/maker.c
dist_noinst_SCRIPTS += bench/run

bench: sendfs$(EXEEXT) bench/maker$(EXEEXT)
	SENDFS=$(abs_builddir)/sendfs MAKER=$(abs_builddir)/bench/maker \
		$(srcdir)/bench/run $(BENCH)
.PHONY: bench
CLEANFILES += bench/maker$(EXEEXT)
