noinst_LIBRARIES += libview.a
libview_a_SOURCES =
lib_view = libview.a $(lib_stream) $(FUSE_LIBS)
