noinst_LIBRARIES += liborder.a
liborder_a_SOURCES = \
	src/send/order/clone_range.c \
	src/send/order/clone_range.h \
	src/send/order/clones.c \
	src/send/order/clones.h \
	src/send/order/leaf_cache.c \
	src/send/order/leaf_cache.h \
	src/send/order/contents.c \
	src/send/order/contents.h \
	src/send/order/context.h \
	src/send/order/delay.c \
	src/send/order/delay.h \
	src/send/order/dir_times.c \
	src/send/order/dir_times.h \
	src/send/order/emit.c \
	src/send/order/emit.h \
	src/send/order/finish.c \
	src/send/order/finish.h \
	src/send/order/moves.c \
	src/send/order/moves.h \
	src/send/order/overwrite.c \
	src/send/order/overwrite.h \
	src/send/order/paths.c \
	src/send/order/paths.h \
	src/send/order/place.c \
	src/send/order/place.h \
	src/send/order/refs.c \
	src/send/order/refs.h \
	src/send/order/sender.c \
	src/send/order/sender.h \
	src/send/order/state.c \
	src/send/order/state.h
lib_order = liborder.a libbackref.a libcompare.a libinode.a libwire.a $(lib_fs)
