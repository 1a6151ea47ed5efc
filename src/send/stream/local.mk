noinst_LIBRARIES += libstream.a
libstream_a_SOURCES = \
	src/send/stream/ahead.c \
	src/send/stream/internal.h \
	src/send/stream/planner.c \
	src/send/stream/registry.c \
	src/send/stream/render.c \
	src/send/stream/stream.c \
	src/send/stream/stream.h
lib_stream = libstream.a liborder.a libbackref.a libcompare.a libinode.a libplan.a libwire.a libextent.a $(lib_subvol)
