noinst_LIBRARIES += libtree.a
libtree_a_SOURCES = \
	src/btrfs/tree/node.c \
	src/btrfs/tree/node.h \
	src/btrfs/tree/node_cache.c \
	src/btrfs/tree/node_cache.h \
	src/btrfs/tree/node_load.c \
	src/btrfs/tree/node_load.h \
	src/btrfs/tree/node_pool.c \
	src/btrfs/tree/node_pool.h \
	src/btrfs/tree/node_prefetch.c \
	src/btrfs/tree/node_store.c \
	src/btrfs/tree/node_store.h \
	src/btrfs/tree/node_verify.c \
	src/btrfs/tree/node_verify.h \
	src/btrfs/tree/tree_warm.c \
	src/btrfs/tree/tree_warm.h \
	src/btrfs/tree/tree_place.c \
	src/btrfs/tree/tree_place.h \
	src/btrfs/tree/tree_cursor.c \
	src/btrfs/tree/tree_cursor.h \
	src/btrfs/tree/tree_descend.c \
	src/btrfs/tree/tree_descend.h \
	src/btrfs/tree/tree_diff.c \
	src/btrfs/tree/tree_diff.h
lib_tree = libtree.a $(lib_volume)
