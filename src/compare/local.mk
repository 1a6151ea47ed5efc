noinst_LIBRARIES += libcompare.a
libcompare_a_SOURCES =
lib_compare = libcompare.a $(lib_inode)
