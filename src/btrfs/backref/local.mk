noinst_LIBRARIES += libbackref.a
libbackref_a_SOURCES = \
	src/btrfs/backref/backrefs.c \
	src/btrfs/backref/backrefs.h \
	src/btrfs/backref/internal.h \
	src/btrfs/backref/roots.c \
	src/btrfs/backref/sources.c \
	src/btrfs/backref/users.c
lib_backref = libbackref.a $(lib_fs)
