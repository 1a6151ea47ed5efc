noinst_LIBRARIES += libbase.a
libbase_a_SOURCES = \
	src/base/autofd.h \
	src/base/error.h \
	src/base/lock.h \
	src/base/log.h \
	src/base/lru.h \
	src/base/span.h \
	src/base/workers.h
lib_base = libbase.a $(GLIB_LIBS)
