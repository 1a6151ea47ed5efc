noinst_LIBRARIES += libview.a
libview_a_SOURCES = \
	src/view/pair.h src/view/pair.c src/view/names.c \
	src/view/identity.h src/view/identity.c \
	src/view/listing.h src/view/listing.c \
	src/view/info.h src/view/info.c \
	src/view/node_table.h src/view/node_table.c \
	src/view/view.h src/view/view.c \
	src/view/mountinfo.h src/view/mountinfo.c \
	src/view/waiters.h src/view/waiters.c \
	src/view/caller.h src/view/caller.c \
	src/view/fuse_mount.h src/view/fuse_mount.c \
	src/view/background.h src/view/background.c \
	src/view/options.h src/view/options.c \
	src/view/source.h src/view/source.c
libview_a_CPPFLAGS = $(AM_CPPFLAGS) $(FUSE_CFLAGS) $(XXHASH_CFLAGS)
lib_view = libview.a $(lib_stream) $(FUSE_LIBS) $(XXHASH_LIBS)
