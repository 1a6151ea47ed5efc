EXTRA_DIST += tests/support/lib.bash tests/support/pool.bash tests/support/chunk-places tests/support/tap-test
# What tests of several layers need: bytes as on disk, made to order.
check_LIBRARIES += libsupport.a
libsupport_a_SOURCES = \
	tests/support/blocks.c \
	tests/support/blocks.h \
	tests/support/bytes.c \
	tests/support/bytes.h \
	tests/support/compress.c \
	tests/support/compress.h \
	tests/support/extent_tree.c \
	tests/support/extent_tree.h \
	tests/support/fs_image.c \
	tests/support/fs_image.h \
	tests/support/image.c \
	tests/support/image.h \
	tests/support/items.c \
	tests/support/items.h \
	tests/support/opened.c \
	tests/support/opened.h \
	tests/support/subvolume.c \
	tests/support/subvolume.h \
	tests/support/super.c \
	tests/support/super.h \
	tests/support/tree.c \
	tests/support/tree.h
# Put it before the tested layer: tests_unit_x_LDADD = $(lib_support) $(lib_x).
lib_support = libsupport.a

# A send stream as text: to compare two, or to count commands.
noinst_PROGRAMS += tests/support/stream-dump
tests_support_stream_dump_SOURCES = tests/support/stream-dump.c
tests_support_stream_dump_LDADD = $(lib_wire)

# Lists what a file system has, mounted or not.
noinst_PROGRAMS += tests/support/fsls
tests_support_fsls_SOURCES = tests/support/fsls.c
tests_support_fsls_LDADD = $(lib_subvol)

# The kernel's stream, with any choice of clone sources and flags.
noinst_PROGRAMS += tests/support/ksend
tests_support_ksend_SOURCES = tests/support/ksend.c

# Compares two directory trees: what was sent and what was received.
noinst_PROGRAMS += tests/support/tree-cmp
tests_support_tree_cmp_SOURCES = tests/support/tree-cmp.c
tests_support_tree_cmp_LDADD = $(GLIB_LIBS)
# Uses files in the ways that the shell has no words for.
noinst_PROGRAMS += tests/support/file-probe
tests_support_file_probe_SOURCES = tests/support/file-probe.c

# Holds the daemon's reads; see its head.  Loaded, never linked.
noinst_PROGRAMS += tests/support/gate.so
tests_support_gate_so_SOURCES = tests/support/gate.c
tests_support_gate_so_CFLAGS = $(AM_CFLAGS) -fPIC
tests_support_gate_so_LDFLAGS = -shared -ldl
