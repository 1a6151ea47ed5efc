noinst_LIBRARIES += libwire.a
libwire_a_SOURCES = \
	src/send/wire/command.h \
	src/send/wire/encode.h
lib_wire = libwire.a $(lib_codec)
