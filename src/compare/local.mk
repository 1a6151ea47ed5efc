noinst_LIBRARIES += libcompare.a
libcompare_a_SOURCES = \
	src/compare/extent_diff.c \
	src/compare/extent_diff.h \
	src/compare/inode_diff.c \
	src/compare/inode_diff.h \
	src/compare/xattr_diff.c \
	src/compare/xattr_diff.h
lib_compare = libcompare.a $(lib_inode)
