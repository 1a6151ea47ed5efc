noinst_LIBRARIES += libwire.a
libwire_a_SOURCES = \
	src/send/wire/attribute.h \
	src/send/wire/command.h \
	src/send/wire/decode.c \
	src/send/wire/decode.h \
	src/send/wire/encode.c \
	src/send/wire/encode.h \
	src/send/wire/translate.c \
	src/send/wire/translate.h \
	src/send/wire/variant.h
lib_wire = libwire.a $(lib_codec)
