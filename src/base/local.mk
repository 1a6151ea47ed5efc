noinst_LIBRARIES += libbase.a
libbase_a_SOURCES = \
	src/base/autofd.h \
	src/base/cause.c \
	src/base/cause.h \
	src/base/error.c \
	src/base/error.h \
	src/base/lock.h \
	src/base/load_cache.c \
	src/base/load_cache.h \
	src/base/log.c \
	src/base/log.h \
	src/base/lru.c \
	src/base/lru.h \
	src/base/seen.c \
	src/base/seen.h \
	src/base/slab_pool.c \
	src/base/slab_pool.h \
	src/base/span.h \
	src/base/workers.c \
	src/base/workers.h
lib_base = libbase.a $(GLIB_LIBS)
