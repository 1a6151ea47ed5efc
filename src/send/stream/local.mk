noinst_LIBRARIES += libstream.a
libstream_a_SOURCES = \
	src/send/stream/stream.h
lib_stream = libstream.a liborder.a libcompare.a libinode.a libplan.a libwire.a libextent.a $(lib_subvol)
