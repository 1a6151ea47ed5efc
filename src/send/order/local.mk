noinst_LIBRARIES += liborder.a
liborder_a_SOURCES = \
	src/send/order/sender.h
lib_order = liborder.a libcompare.a libinode.a libwire.a $(lib_fs)
